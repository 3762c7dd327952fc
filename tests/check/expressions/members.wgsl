struct S { x : i32, inner : T }
struct T { y : vec2f, z : array<i32, 3> }
var<private> g : S;
fn make() -> S { return S(); }
fn f(s : S, p : ptr<function, S>) -> f32 {
  var v = s;
  v.x = 1;
  v.inner.y.x = 2;
  (*p).inner.z[1] = 3;
  p.inner.z[2] = 4;
  g.inner = v.inner;
  _ = s.y;                    // error unknown_member: 'S' has no member named 'y'
  _ = g.inner.x;              // error unknown_member: 'T' has no member named 'x'
  _ = p.q;                    // error unknown_member: 'S' has no member named 'q'
  _ = s.x.y;                  // error not_composite: 'i32' has no members
  _ = s.inner.z.w;            // error not_composite: 'array<i32, 3>' has no members
  _ = frexp(1.5).fract + frexp(1.5).whole;    // error unknown_member: has no member named 'whole'
  s.x = 1;                    // error not_assignable: it is a value, not a place in memory
  make().x = 1;               // error not_assignable: it is a value, not a place in memory
  _ = g.inner;
  return make().inner.y.x + modf(1.5).whole;
}
