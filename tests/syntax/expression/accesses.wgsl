struct S { a : array<vec4<f32>, 2>, b : mat2x2<f32> }
fn f() {
  var s : S;
  let i = 1;
  _ = s.a[0].x;
  _ = s.a[i].wzyx.xy;
  _ = s . b [ 1 ] [ 0 ];
  _ = (s).a[0][1];
  let p = &s;
  _ = (*p).a[1];
  s.a[i + 1 - 1].y = 2;
}
