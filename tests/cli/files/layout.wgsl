// Every number of a structure with gaps, in the order in which it is given.
struct Inner {
  v : vec3f,
  k : u32,
  w : vec3f,
}
struct Outer {
  n : i32,
  inner : array<Inner, 2>,
  m : mat2x3f,
  @size(32) last : vec2u,
}
@group(0) @binding(0) var<uniform> given : Outer;
@group(0) @binding(1) var<storage, read_write> seen : array<f32, 23>;

@compute @workgroup_size(1) fn show_all() {
  seen[0] = f32(given.n);
  for (var i = 0u; i < 2; i++) {
    let inner = given.inner[i];
    for (var k = 0u; k < 3; k++) {
      seen[1 + i * 7 + k] = inner.v[k];
      seen[1 + i * 7 + 4 + k] = inner.w[k];
    }
    seen[1 + i * 7 + 3] = f32(inner.k);
  }
  for (var c = 0u; c < 2; c++) {
    for (var r = 0u; r < 3; r++) {
      seen[15 + c * 3 + r] = given.m[c][r];
    }
  }
  seen[21] = f32(given.last.x);
  seen[22] = f32(given.last.y);
}
