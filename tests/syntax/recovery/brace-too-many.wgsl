fn f(a : bool) {
  if a { } }
  else { return; }                    // error unexpected_token@3: expected a declaration, found 'else'
  let b = 1;
  return;
}
fn g() { let c = ; }                  // error unexpected_token@18: expected an expression
