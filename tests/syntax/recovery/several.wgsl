// Each mistake is reported once, and nothing after it is lost.
const a = ;                           // error unexpected_token@11: expected an expression
struct S { x : i32, y : , z : f32 }   // error unexpected_token@25: expected the type of the member
fn f(a : i32, b : ) -> i32 {          // error unexpected_token@19: expected the type of the parameter
  let c = a +;                        // error unexpected_token@14: expected an expression
  if (a > { return 1; }               // error unexpected_token@11: expected an expression
  while a < { }                       // error unexpected_token@13: expected an expression
}
const d = a b;                        // error unexpected_token@13: expected ';' after the declaration
fn g() { var s : S; s.x = 1; s.z = 2; }
