fn f() {
  let a = 1;
  _ = ;                // error unexpected_token@7: expected an expression, found ';'
  _ = a + ;            // error unexpected_token@11: expected an expression, found ';'
  _ = * ;              // error unexpected_token@9: expected an expression, found ';'
  _ = + a;             // error unexpected_token@7: expected an expression, found '+'
  _ = a a;             // error unexpected_token@9: expected ';' after the assignment, found 'a'
  _ = (a;              // error unexpected_token@9: expected ')' to close the parenthesis, found ';'
  _ = ();              // error unexpected_token@8: expected an expression, found ')'
  _ = a);              // error unexpected_token@8: expected ';' after the assignment, found ')'
  _ = a];              // error unexpected_token@8: expected ';' after the assignment, found ']'
  _ = a, a;            // error unexpected_token@8: expected ';' after the assignment, found ','
  _ = (a, a);          // error unexpected_token@9: expected ')' to close the parenthesis, found ','
  _ = a;
}
