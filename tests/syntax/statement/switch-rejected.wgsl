fn f(a : i32) {
  switch { default { } }              // error unexpected_token@10: expected an expression, found '{'
  switch a default { }                // error unexpected_token@12: expected '{' after the selector, found 'default'
  switch a { case { } default { } }   // error unexpected_token@19: expected an expression, found '{'
  switch a { case 1 default { } }     // error unexpected_token@21: expected '{' after the selectors, found 'default'
  switch a { case 1: return; default { } } // error unexpected_token@22: expected '{' after the selectors, found 'return'
  switch a { case 1, , 2 { } default { } }  // error unexpected_token@22: expected an expression, found ','
  switch a { case 1; default { } }    // error unexpected_token@20: expected '{' after the selectors, found ';'
  switch a { a = 1; default { } }     // error unexpected_token@14: expected 'case', 'default' or '}' in the switch, found 'a'
  switch a { default { } ; }          // error unexpected_token@26: expected 'case', 'default' or '}' in the switch, found ';'
  case 1: { }                         // error unexpected_token@3: 'case' can only stand directly in a 'switch'
  default { }                         // error unexpected_token@3: 'default' can only stand directly in a 'switch'
}
