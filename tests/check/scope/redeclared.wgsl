// Two declarations of one name that end their scope together.
const a = 1;
var<private> a : i32;     // error redeclared: 'a' is already declared in this scope
fn f() {}
fn f() {}                 // error redeclared: 'f' is already declared
struct S { x : i32 }
alias S = i32;            // error redeclared: 'S' is already declared

fn parameter(x : i32) -> i32 {
  let x = 2;              // error redeclared: 'x' is already declared in this scope
  return x;
}
fn parameters(x : i32, y : i32, x : f32) {}     // error redeclared: 'x'
fn locals() {
  var v = 1;
  let w = 1;
  const v = 2;            // error redeclared: 'v'
  var w = 2;              // error redeclared: 'w'
  { var v = 1; var v = 2; }                     // error redeclared@20: 'v'
  for (var i = 0; i < 3; i++) {
    var i = 1;
    let i = 2;            // error redeclared: 'i'
  }
  while true { let z = 1; let z = 2; break; }   // error redeclared@31: 'z'
}
struct Members {
  a : i32,
  b : f32,
  a : u32,                // error redeclared: the structure already has a member named 'a'
}
