struct S { x : i32 }
fn a() -> i32 { return 1; }
fn b() { return; }
fn c() -> f32 { return 1; }
fn d() -> S { var s : S; return s; }
fn e() -> u32 { return -1; }          // error conversion_range: -1 does not fit in 'u32'
fn f() -> i32 { return 1.5; }         // error type_mismatch: the returned value must have the type 'i32', found 'abstract-float'
fn g() -> i32 { return; }             // error type_mismatch: the function 'g' must return a value of type 'i32'
fn h() { return 1; }                  // error type_mismatch: the function 'h' returns nothing
fn i() { return b(); }                // error no_result: // error type_mismatch: returns nothing
fn j() -> S { return 1; }             // error type_mismatch: must have the type 'S'
