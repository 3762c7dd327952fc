// Private variables that are large start with zeros too, whatever is in them.
// run: groups 2, out b = [0, 400, 1300, 0, 400, 1300]

struct Inner { a : array<vec3f, 9>, b : f32 }
struct Outer { flags : array<bool, 7>, inner : array<Inner, 5>, m : array<mat2x3f, 4> }

@group(0) @binding(0) var<storage, read_write> b : array<u32>;
var<private> p : array<u32, 400>;
var<private> q : Outer;

fn sum() -> u32 {
  var s = 0u;
  for (var i = 0; i < 400; i++) { s += p[i]; }
  for (var i = 0; i < 7; i++) { s += u32(q.flags[i]) * 100u; }
  for (var i = 0; i < 5; i++) {
    for (var k = 0; k < 9; k++) { s += u32(dot(q.inner[i].a[k], vec3f(1))); }
    s += u32(q.inner[i].b);
  }
  for (var i = 0; i < 4; i++) { s += u32(q.m[i][0].x + q.m[i][1].z); }
  return s;
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w : vec3u) {
  b[3 * w.x] = sum();
  for (var i = 0; i < 400; i++) { p[i] = 1u; }
  b[3 * w.x + 1] = sum();
  for (var i = 0; i < 7; i++) { q.flags[i] = true; }
  for (var i = 0; i < 4; i++) { q.m[i][1].z = 50.0; }
  b[3 * w.x + 2] = sum();
}
