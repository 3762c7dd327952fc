// Aliases, constants, structures and locals have no attributes.
@size(4) alias A = i32;          // error misplaced_attribute@1: '@size' cannot be used before 'alias'
@id(1) const c = 1;              // error misplaced_attribute@1: '@id' cannot be used before 'const'
@must_use struct S { x : i32 }   // error misplaced_attribute@1: '@must_use' cannot be used before 'struct'
@id(1) var<private> v : i32;     // error misplaced_attribute: '@id' cannot be used on a variable at module scope
@group(0) override o = 1;        // error misplaced_attribute: '@group' cannot be used on an override
fn f(@size(4) p : i32) -> @align(4) i32 {  // error misplaced_attribute@6: a parameter // error misplaced_attribute@27: the result
  @id(1) var x = 1;              // error misplaced_attribute@3: '@id' cannot be used before this statement
  @must_use while false {}       // error misplaced_attribute: '@must_use' cannot be used on a statement
  return p + x;
}
