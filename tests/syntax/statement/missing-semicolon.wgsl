fn v() { }
fn f() -> i32 {
  var a = 1                           // error unexpected_token@12: expected ';' after the declaration, found 'a'
  a = 2                               // error unexpected_token@8: expected ';' after the assignment, found 'a'
  a++                                 // error unexpected_token@6: expected ';' after the increment, found 'v'
  v()                                 // error unexpected_token@6: expected ';' after the call, found 'const_assert'
  const_assert true                   // error unexpected_token@20: expected ';' after the assertion, found 'loop'
  loop { break }                      // error unexpected_token@15: expected ';' after 'break', found '}'
  for (;a < 3;) { a++; continue }     // error unexpected_token@32: expected ';' after 'continue', found '}'
  return a                            // error unexpected_token@11: expected ';' after the return statement, found '}'
}
