// Conversions between all kinds of scalar, also of vectors and matrices; of a number that
// does not fit, to the nearest one that both types have.
// run: groups 1, in f = [1.75, -1.75, 3e9, -3e9, 5e9, nan, 0, -0],
//   in n = [-3, 7, 0, -2147483648],
//   out i = [1, -1, 2147483520, -2147483648, 2147483520, 0, 0, 0],
//   out u = [1, 0, 3000000000, 0, 4294967040, 0, 0, 0],
//   out t = [1, 1, 1, 1, 1, 1, 0, 0],
//   out g = [-3, 7, 0, -2147483648, 4294967293, 7, 0, 2147483648],
//   out r = [1, 0, 1, 1, 1, 0, 4294967293, 7, 0, 2147483648, 1, 4294967295],
//   out h = [1.75, -1.75, 7, 1, 65504, 2, 3, 0.099975586]

enable f16;

@group(0) @binding(0) var<storage> f : array<f32, 8>;
@group(0) @binding(1) var<storage> n : vec4i;
@group(0) @binding(2) var<storage, read_write> i : array<i32, 8>;
@group(0) @binding(3) var<storage, read_write> u : array<u32, 8>;
@group(0) @binding(4) var<storage, read_write> t : array<u32, 8>;
@group(0) @binding(5) var<storage, read_write> g : array<f32, 8>;
@group(0) @binding(6) var<storage, read_write> r : array<u32>;
@group(0) @binding(7) var<storage, read_write> h : array<f32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) k : u32) {
  i[k] = i32(f[k]);
  u[k] = u32(f[k]);
  t[k] = u32(bool(f[k]));
  if k != 0 { return; }

  let s = vec4f(n);
  let w = vec4f(vec4u(n));
  for (var c = 0; c < 4; c++) {
    g[c] = s[c];
    g[c + 4] = w[c];
  }

  let b = vec4<bool>(n);
  r[0] = u32(b.x);
  r[1] = u32(f32(b.z));
  let bits = vec2u(b.xy);
  r[2] = bits.x;
  r[3] = u32(i32(b.y));
  r[4] = u32(f16(b.x));
  r[5] = u32(bool(f[7]));
  let m = vec4u(n);
  r[6] = m.x; r[7] = m.y; r[8] = m.z; r[9] = m.w;
  r[10] = u32(i32(f16(f[0])));
  r[11] = u32(i32(f[1]));

  h[0] = f32(f16(f[0]));
  h[1] = f32(vec2h(vec2f(f[0], f[1])).y);
  h[2] = f32(f16(n.y));
  h[3] = f32(f16(u32(n.y) / 7));
  h[4] = f32(f16(65504.0 + f[6]));
  let x = mat2x2h(mat2x2f(f[0], 2, 3, f[1]));
  let y = mat2x2f(x);
  h[5] = y[0][1];
  h[6] = y[1][0];
  h[7] = f32(f16(0.1 + f[6]));
}
