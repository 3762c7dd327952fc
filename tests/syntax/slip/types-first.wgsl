struct S {
  float x;                            // error unexpected_token@9: expected ':' after the name of the member, found 'x'
  y : i32,
}
fn f(int a) -> i32 {                  // error unexpected_token@10: expected ':' after the name of the parameter, found 'a'
  int b = a;                          // error unexpected_token@7: expected an assignment after 'int', found the name 'b'
  for (int i = 0; i < b; i++) { }     // error unexpected_token@12: expected an assignment after 'int', found the name 'i'
  const float c = 1.0;                // error unexpected_token@15: expected ':' after the name of the constant, found 'c'
  float d[4];                         // error unexpected_token@9: expected an assignment after 'float', found the name 'd'
  var e : f32[4];                     // error unexpected_token@14: a type cannot be followed by '['
  return b;
}
void main() { }                       // error unexpected_token@1: expected a declaration, found 'void'
float g = 1.0;                        // error unexpected_token@1: expected a declaration, found 'float'
uniform mat4 h;                       // error unexpected_token@1: expected a declaration, found 'uniform'
