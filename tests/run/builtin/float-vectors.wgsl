// The same, component by component.
// run: groups 1, within 1e-5, elsewhere 5e-4,
//   in p = [
//     1, -2, 0.5, 3],
//   in q = [
//     2, 0.25, -1.5, 3],
//   in r = [
//     0.5, 0, 1, 0.25],
//   out b = [
//     0.463647609, -1.44644133, 2.8198421, 0.785398163, 1, 1.18920712, 2.82842712, 27, 1,
//     -2, -1.5, 3, 2, 0.25, 0.5, 3, 1.5, -2, -1.5, 3, 1, 1, 0, 1, 2.5, -0.5, 0.25, 9.25,
//     1, -0, 0.5, 0, 0.5, -8, -0.333333333, 1, 0, -0, 0.5, 0, 1, -2, 0, 3, 0.5, -0.5, 0.5,
//     0.75, 1, -2, 0.5, 3, 0.5, -1, 0.5, 0.25, 0.15625, 0, 0, 1, 256, -4, 0.0078125,
//     12288, 2, -2, -1.5, 3, 1, 2, 0, 2, 0.841470985, -0.909297427, 0.479425539,
//     0.141120008, 1, -1, 1, 1, 1.25, -1.4375, 0, 3]

@group(0) @binding(0) var<storage> p : vec4f;
@group(0) @binding(1) var<storage> q : vec4f;
@group(0) @binding(2) var<storage> r : vec4f;
@group(0) @binding(3) var<storage, read_write> b : array<vec4f>;

@compute @workgroup_size(1)
fn main() {
  let x = p;
  let y = q;
  let z = r;
  b[0] = atan2(x, y);
  b[1] = pow(abs(x), y);
  b[2] = min(x, y);
  b[3] = max(x, y);
  b[4] = mix(x, y, z);
  b[5] = step(x, y);
  b[6] = fma(x, y, z);
  b[7] = x % y;
  b[8] = x / y;
  b[9] = modf(x).fract;
  b[10] = modf(x).whole;
  b[11] = frexp(x).fract;
  b[12] = quantizeToF16(x + 0.0001);
  b[13] = clamp(x, z - 1, z);
  b[14] = smoothstep(z, z + 2, x);
  b[15] = ldexp(x, vec4i(y * 4));
  b[16] = select(x, y, z > vec4f(0.3));
  b[17] = vec4f(frexp(x).exp);
  b[18] = sin(x);
  b[19] = sign(x);
  b[20] = mix(x, y, 0.25 + z.y);
}
