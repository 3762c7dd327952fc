fn g(a : i32) -> i32 { return a; }
fn f() {
  _ = g(1;             // error unexpected_token@10: expected ',' or ')' in the list of arguments, found ';'
  _ = g(,);            // error unexpected_token@9: expected an expression, found ','
  _ = g(1,,);          // error unexpected_token@11: expected an expression, found ','
  _ = g(1 2);          // error unexpected_token@11: expected ',' or ')' in the list of arguments, found '2'
  _ = (g)(1);          // error unexpected_token@10: expected ';' after the assignment, found '(' // error not_a_value:
  _ = g(1)(2);         // error unexpected_token@11: expected ';' after the assignment, found '('
  _ = g(1);
}
