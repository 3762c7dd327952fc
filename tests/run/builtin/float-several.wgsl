// Functions and operators of several floats.
// run: groups 1, within 1e-5, elsewhere 5e-4,
//   in p = [
//     1, -2, 0.5, 3],
//   in q = [
//     2, 0.25, -1.5, 3],
//   in r = [
//     0.5, 0, 1, 0.25],
//   out b = [
//     0.463647609, 1, 1, 2, 0.5, 1.5, 1, 0.15625, 2.5, 1, 1, 1, 0.5, 2, 256, 0, 1, 0.5, 1,
//     1, -1.44644133, 1.18920712, -2, 0.25, -1, -2, 1, 0, -0.5, 2, 2.25, -0, -8, -2, -4,
//     -0, -2, -0.5, 2, -2, 2.8198421, 2.82842712, -1.5, 0.5, 0.5, -1.5, 0, 0, 0.25, 0.5,
//     2, 0.5, -0.333333333, -1.5, 0.0078125, 0.5, 0, 0.5, 0, 0.5, 0.785398163, 27, 3, 3,
//     0.25, 3, 1, 1, 9.25, 3, 0, 0, 1, 3, 12288, 0, 3, 0.75, 2, 3]

@group(0) @binding(0) var<storage> p : array<f32, 4>;
@group(0) @binding(1) var<storage> q : array<f32, 4>;
@group(0) @binding(2) var<storage> r : array<f32, 4>;
@group(0) @binding(3) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i : u32) {
  let x = p[i];
  let y = q[i];
  let z = r[i];
  let at = i * 20u;
  b[at + 0] = atan2(x, y);
  b[at + 1] = pow(abs(x), y);
  b[at + 2] = min(x, y);
  b[at + 3] = max(x, y);
  b[at + 4] = clamp(x, z - 1, z);
  b[at + 5] = mix(x, y, z);
  b[at + 6] = step(x, y);
  b[at + 7] = smoothstep(z, z + 2, x);
  b[at + 8] = fma(x, y, z);
  b[at + 9] = length(x);
  b[at + 10] = distance(x, y);
  b[at + 11] = x % y;
  b[at + 12] = x / y;
  b[at + 13] = select(x, y, z > 0.3);
  b[at + 14] = ldexp(x, i32(y * 4));
  b[at + 15] = modf(x).fract;
  b[at + 16] = modf(x).whole;
  b[at + 17] = frexp(x).fract;
  b[at + 18] = f32(frexp(x).exp);
  b[at + 19] = quantizeToF16(x + 0.0001);
}
