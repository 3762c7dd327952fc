const a = 4;
const b : i32 = a;
const c : u32 = a;
const d : f32 = a;
const e = vec3(a, a, a);
const f = 2.0;
const g = mat2x2(a, f, a, f);
const h = array(a, f, a, f);
struct S { x : i32, y : vec2f }
const s = S(1, vec2f(1, 2));
const s_y = s.y.x + f32(s.x);
const minint : i32 = -2147483648;
const k = h[2] + e[1] + e.z + g[1].x + g[1][0];
const_assert a == 4 && f == 2.0 && k == 20;
fn fun() -> i32 {
  const inner = a * 2;
  const_assert inner == 8;
  const arr = array<i32, inner>();
  return arr[3] + inner;
}
