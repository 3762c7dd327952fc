// Powers that are small whole numbers and known before: of negative numbers, too.
// run: groups 1, in a = [-3, -0.5, 0, 0.25, 1, 2, 5], out b = [-3, 9, -27, 81, 18, -0.5, 0.25,
//   -0.125, 0.0625, 0.5, 0, 0, 0, 0, 0, 0.25, 0.0625, 0.015625, 0.00390625, 0.125, 1, 1, 1, 1, 2,
//   2, 4, 8, 16, 8, 5, 25, 125, 625, 50]

@group(0) @binding(0) var<storage> a : array<f32>;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;

const cube = 3.0;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  b[5 * i] = pow(x, 1.0);
  b[5 * i + 1] = pow(x, 2.0);
  b[5 * i + 2] = pow(x, cube);
  b[5 * i + 3] = pow(x, 4.0);
  let v = pow(vec3f(x, -x, x), vec3f(cube));
  let square = pow(vec2f(x), vec2f(2.0));
  b[5 * i + 4] = square.x + square.y + v.x + v.y;
}
