@computee fn f() { }                         // error unknown_attribute@2: there is no attribute '@computee'
@foo(1, 2, bar(3)) fn g() { }                // error unknown_attribute@2: there is no attribute '@foo'
@stage(compute) fn h() { }                   // error unknown_attribute@2: there is no attribute '@stage'
struct S {
  @stride(16) a : i32,                       // error unknown_attribute@4: there is no attribute '@stride'
}
fn i() {
  @unroll for (;;) { break; }                // error unknown_attribute@4: there is no attribute '@unroll'
}
