fn f(a : bool) {
  if a {
    return;
fn g() { let b = ; }                  // error unexpected_token@1: expected '}' to end the body of 'if', found 'fn' // error unexpected_token@18: expected an expression
fn h() { }
