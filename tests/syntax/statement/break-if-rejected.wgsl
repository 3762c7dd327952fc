fn f(a : bool) {
  loop { break if a; }                              // error unexpected_token@10: 'break if' can only be the last statement of a 'continuing' block
  while a { break if a; }                           // error unexpected_token@13: 'break if' can only be the last statement of a 'continuing' block
  loop { continuing { break if a; break if a; } }   // error unexpected_token@23: 'break if' can only be the last statement of a 'continuing' block
  loop { continuing { { break if a; } break if a; } }  // error unexpected_token@25: 'break if' can only be the last statement of a 'continuing' block
  loop { continuing { break if; } }                 // error unexpected_token@31: expected an expression, found ';'
  loop { continuing { break if a } }                // error unexpected_token@33: expected ';' after the condition of 'break if', found '}'
}
