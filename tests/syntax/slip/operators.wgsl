struct S { m : i32 }
fn f(a : bool, b : bool) {
  var s : S;
  let p = &s;
  let c = a ? 1 : 2;                  // error unknown_character@13: WGSL has no conditional operator '?'
  let d = a and b;                    // error unexpected_token@13: expected ';' after the declaration, found 'and'
  let e = a or b;                     // error unexpected_token@13: expected ';' after the declaration, found 'or'
  let g = p->m;                       // error unexpected_token@12: expected the end of the expression, found '->'
  if a = b { }                        // error unexpected_token@8: expected '{' after the condition, found '='
  if (a = b) { }                      // error unexpected_token@9: expected ')' to close the parenthesis, found '='
  let h = {1, 2};                     // error unexpected_token@11: expected an expression, found '{'
  let i = array{1, 2};                // error unexpected_token@16: expected ';' after the value, found '{' // error not_a_value:
}
