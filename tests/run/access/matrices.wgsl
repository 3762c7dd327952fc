// Columns and elements of matrices; constructors; dynamic columns of values.
// run: groups 1, in m = [1, 2, 3, 4, 5, 6], out b = [4, 5, 6, 2, 6, 1, 3, 5, 20, 6, 1, 4, 9, 8, 4, 5, 6],
//   out w = [1, 2, 3, 4, 5, 60]

@group(0) @binding(0) var<storage> m : mat2x3f;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> w : mat2x3f;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  let c = m[1];
  b[0] = c.x; b[1] = c.y; b[2] = c.z;
  b[3] = m[z][z + 1];
  let x = m;
  b[4] = x[z + 1][2];
  let t = transpose(m);
  b[5] = t[0][0]; b[6] = t[2 + z].x; b[7] = t[1][1];
  var y = mat2x3f(x[1], x[0]);
  y[z + 1] = vec3f(10, 20, 30);
  y[0].z = 6;
  b[8] = y[1].y; b[9] = y[0][2];
  let s = mat2x2f(1, 2, 3, 4);
  b[10] = s[z].x; b[11] = s[z + 1].y;
  y[1][z] = 9;
  b[12] = y[1][0];
  let q = mat2x3f(vec3f(8), vec3f(9));
  b[13] = q[z][z];
  w = m;
  w[1].z *= 10;
  var r : mat2x3f = m;
  let p = &r[z + 1];
  b[14] = (*p).x; b[15] = p.y; b[16] = p[2];
}
