// Powers that are halves and known before are roots and products of them; others are not.
// run: groups 1, within 1e-5,
//   in a = [0, 0.25, 1, 4, 16, 6.25], out b = [0, 0, 0, 0, 0.5, 0.125, 2, 8, 1, 1, 1,
//   1, 2, 8, 0.5, 0.125, 4, 64, 0.25, 0.015625, 2.5, 15.625, 0.4, 0.064]

@group(0) @binding(0) var<storage> a : array<f32>;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  b[4 * i] = pow(x, 0.5);
  b[4 * i + 1] = pow(x, 1.5);
  let v = pow(vec2f(x), vec2f(-0.5));
  let below = x == 0.0;
  b[4 * i + 2] = select(v.y, 0.0, below);
  b[4 * i + 3] = select(pow(x, -1.5), 0.0, below);
}
