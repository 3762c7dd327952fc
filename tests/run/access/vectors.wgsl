// Components by letter and by index, read and written, in values and in memory.
// run: groups 1, in a = [1, 2, 3, 4], out b = [3, 2, 1, 4, 9, 2, 3, 8, 40, 4, 2, 3, 5, 7, 3, 1],
//   out v = [1, 20, 30, 4]

@group(0) @binding(0) var<storage> a : array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> v : vec4f;

fn third(x : vec4f, i : i32) -> f32 {
  return x[i] + x.xyzw[2] - x.b;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  let x = vec4f(a[0], a[1], a[2], a[3]);
  let s = x.zyxw;
  b[0] = s.x; b[1] = s.y; b[2] = s.z; b[3] = s.w;

  var y = x;
  let i = z + 3;
  y.x = 9;
  y[i] = 8;
  b[4] = y.r; b[5] = y.g; b[6] = y.b; b[7] = y.a;
  y[i] *= 5;
  b[8] = y[i];
  y[z] = x[i];
  b[9] = y[z];

  let p = y.yz;
  b[10] = p.x; b[11] = p[1];
  b[12] = third(x, 1 + i32(z)) + x.z;
  b[13] = vec2f(x.x, 7)[i32(i) - 2];
  b[14] = vec3f(1, 2, 3)[i];
  b[15] = x.wzyx.wz.x;

  v.x = 1;
  v[1] = 20;
  v[z + 2] = 30;
  v.w += x[i];
}
