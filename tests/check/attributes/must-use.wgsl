// @must_use needs a result.
@must_use fn f() -> i32 { return 1; }
@must_use fn g() {}          // error misplaced_attribute: '@must_use' needs a function with a result
