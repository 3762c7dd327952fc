fn f() {
  var i = 0;
  loop i++;                           // error unexpected_token@8: expected '{' after 'loop', found 'i' // error endless_loop:
  while { break; }                    // error unexpected_token@9: expected an expression, found '{'
  while true i++;                     // error unexpected_token@14: expected '{' after the condition, found 'i'
  for { break; }                      // error unexpected_token@7: expected '(' after 'for', found '{'
  for () { break; }                   // error unexpected_token@8: expected an expression, found ')'
  for (;) { break; }                  // error unexpected_token@9: expected an expression, found ')'
  for (;;;) { break; }                // error unexpected_token@10: expected an expression, found ';'
  for (var j = 0; j < 1; j++;) { }    // error unexpected_token@29: expected ')' after the 'for' header, found ';'
  for (var j = 0, k = 1; j < 1; j++) { } // error unexpected_token@17: expected ';' after the first part of the 'for' header, found ','
  for (;; var k = 1) { break; }       // error unexpected_token@11: expected an expression, found 'var'
  for (;; i + 1) { break; }           // error unexpected_token@13: expected an assignment after 'i', found '+'
  for (;;) i++;                       // error unexpected_token@12: expected '{' after the 'for' header, found 'i'
  for var j = 0; j < 1; j++ { }       // error unexpected_token@7: expected '(' after 'for', found 'var'
}
