fn f(a : bool)
  if a { return; }                    // error unexpected_token@3: expected '{' to start the function's body, found 'if'
  let b = 1;
  return;
}
fn g() { let c = ; }                  // error unexpected_token@18: expected an expression
