fn f(a : bool) {
  var x = 1;
  if { }               // error unexpected_token@6: expected an expression, found '{'
  if a x = 1;          // error unexpected_token@8: expected '{' after the condition, found 'x'
  if (a) x = 1;        // error unexpected_token@10: expected '{' after the condition, found 'x'
  if a { } else x = 1; // error unexpected_token@17: expected '{' after 'else', found 'x'
  if a { } elseif a { } // error unexpected_token@12: 'elseif' is written 'else if'
  if a { } else else { } // error unexpected_token@17: expected '{' after 'else', found 'else'
  if a; { }            // error unexpected_token@7: expected '{' after the condition, found ';'
  else { }             // error unexpected_token@3: this 'else' has no 'if' before it
  if (a) { } else if { } // error unexpected_token@22: expected an expression, found '{'
}
