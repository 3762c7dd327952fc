// Exponents that are known before the kernel runs, and only then: what a driver computes
// from them before it runs is signed.
// run: groups 1, in a = [0, 1, 3, -5, 0.25],
//   out b = [0, 0, 0, 0.5, 4, -1, 1.5, 12, 1, -2.5, -20, -1, 0.125, 1, -1]

@group(0) @binding(0) var<storage> a : array<f32>;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i : u32) {
  b[3 * i] = ldexp(a[i], -1);
  b[3 * i + 1] = ldexp(a[i], 2);
  var least = -7;
  switch (i) {
    case 0: { least += 7; }
    case 2: { least += 8; }
    default: { least += 6; }
  }
  b[3 * i + 2] = f32(min(least, 2));
}
