struct S { a : array<vec4<f32>, 2> }
fn f() {
  var s : S;
  _ = s.;              // error unexpected_token@9: expected the name of a member or of components, found ';'
  _ = s.1;             // error unexpected_token@8: expected ';' after the assignment, found '.1'
  _ = s.a[];           // error unexpected_token@11: expected an expression, found ']'
  _ = s.a[0;           // error unexpected_token@12: expected ']' after the index, found ';'
  _ = s.a[0, 1];       // error unexpected_token@12: expected ']' after the index, found ','
  _ = s..a;            // error unexpected_token@9: expected the name of a member or of components, found '.'
  _ = s.a[0].x;
}
