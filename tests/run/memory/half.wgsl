// f16 in memory takes two bytes, in vectors and matrices, too.
// run: groups 1, in a = [0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9], out b = [1.5, 10, 7, 2048, 0.25, 9],
//   out h = [0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9]

enable f16;
struct H { a : f16, v : vec3h, m : mat2x3h }

@group(0) @binding(0) var<storage> a : H;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> h : H;
var<workgroup> w : array<vec3h, 2>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = f32(a.a + a.v.x);
  b[1] = f32(a.v[z + 1] + a.m[z + 1].y);
  w[z + 1] = a.m[1];
  b[2] = f32(w[1].x);
  var x = 2047h;
  x += 1.5h;
  b[3] = f32(x);
  b[4] = f32(a.a * a.a);
  var c = a;
  b[5] = f32(c.m[z + 1][2]);
  h = c;
}
