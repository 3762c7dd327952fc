// Functions and operators of truth values.
// run: groups 1, in a = [1, 0, 1, 5], out b = [0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 10, 1, 20, 2, 1, 0, 1]

@group(0) @binding(0) var<storage> a : vec4u;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(1)
fn main() {
  let v = a > vec4u(0);
  b[0] = u32(all(v));
  b[1] = u32(any(v));
  b[2] = u32(all(v.xz));
  b[3] = u32(any(!v.xw));
  b[4] = u32(all(v.x) && any(v.w));
  let n = !v;
  b[5] = u32(n.x); b[6] = u32(n.y);
  let both = v | n;
  b[7] = u32(all(both));
  b[8] = u32(any(v & n));
  b[9] = u32(all((v == n) == vec4(false)));
  let s = select(vec4u(10, 20, 30, 40), vec4u(1, 2, 3, 4), n);
  b[10] = s.x;
  b[11] = select(0u, 1u, v.x);
  let t = select(vec2u(1, 2), vec2u(20, 30), v.w);
  b[12] = t.x;
  b[13] = select(vec3u(1, 2, 3), vec3u(4, 5, 6), vec3(false, n.x, true)).y;
  b[14] = u32(all(v != n));
  var x = v.x;
  x &= v.y;
  b[15] = u32(x);
  x |= v.z;
  b[16] = u32(x != v.y);
}
