// Members at their offsets, arrays at their strides: storage and uniform.
// run: groups 1,
//   in u = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
//   in s = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
//   out b = [1, 2, 3, 4, 5, 7, 13, 10, 4, 6, 3, 10],
//   out t = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

struct U { a : f32, b : vec3f, c : f32, @align(16) d : array<vec4f, 2> }
struct S { a : u32, @size(16) b : u32, c : vec2f, d : mat2x3f }

@group(0) @binding(0) var<uniform> u : U;
@group(0) @binding(1) var<storage> s : S;
@group(0) @binding(2) var<storage, read_write> b : array<f32>;
@group(0) @binding(3) var<storage, read_write> t : S;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = u.a;
  b[1] = u.b.x;
  b[2] = u.b.y;
  b[3] = u.b.z;
  b[4] = u.c;
  b[5] = u.d[z].y;
  b[6] = u.d[z + 1].w;
  b[7] = s.d[z + 1][2];
  b[8] = s.c.y;
  b[9] = s.d[0][1];
  b[10] = f32(s.b) + f32(s.a);
  b[11] = s.d[1].z;
  t = s;
}
