@size(4) const a = 1;                      // error misplaced_attribute@1: '@size' cannot be used before 'const'
@align(4) struct S { a : i32 }             // error misplaced_attribute@1: '@align' cannot be used before 'struct'
@id(1) alias A = i32;                      // error misplaced_attribute@1: '@id' cannot be used before 'alias'
@id(1) const_assert true;                  // error misplaced_attribute@1: '@id' cannot be used before 'const_assert'
@id(1) ;                                   // error unexpected_token@8: expected a declaration after the attributes, found ';'
fn f() {
  @diagnostic(off, derivative_uniformity) let a = 1;   // error misplaced_attribute@3: '@diagnostic' cannot be used before this statement
  @diagnostic(off, derivative_uniformity) return;      // error misplaced_attribute@3: '@diagnostic' cannot be used before this statement
}
