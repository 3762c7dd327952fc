fn g() -> i32 { return 1; }
fn f() {
  var a = 1;
  var b = 2;
  a;                                  // error unexpected_token@3: an expression alone is not a statement
  a + b;                              // error unexpected_token@5: expected an assignment after 'a', found '+'
  a == b;                             // error unexpected_token@5: expected an assignment after 'a', found '=='
  1 = a;                              // error unexpected_token@3: this cannot be used on the left side
  -a = b;                             // error unexpected_token@3: this cannot be used on the left side
  (a + b) = 1;                        // error unexpected_token@3: this cannot be used on the left side
  vec2<f32> = a;                      // error unexpected_token@3: this cannot be used on the left side
  a = b = 1;                          // error unexpected_token@9: expected ';' after the assignment, found '='
  a = ;                               // error unexpected_token@7: expected an expression, found ';'
  a + = b;                            // error unexpected_token@5: expected an assignment after 'a', found '+'
  _;                                  // error unexpected_token@4: expected '=' after '_', found ';'
  _ += a;                             // error unexpected_token@5: expected '=' after '_', found '+='
  (g());                              // error unexpected_token@3: an expression alone is not a statement
  g() g();                            // error unexpected_token@7: expected ';' after the call, found 'g'
  a++ + 1;                            // error unexpected_token@7: expected ';' after the increment, found '+'
  ++a;                                // error unexpected_token@3: expected a statement, found '++'
  --a;                                // error unexpected_token@3: expected a statement, found '--'
  a++--;                              // error unexpected_token@6: expected ';' after the increment, found '--'
  a = b++;                            // error unexpected_token@8: expected the end of the expression, found '++'
  let c = a--;                        // error unexpected_token@12: expected the end of the expression, found '--'
}
