// sinh of f64 near 0 and on both sides of 1, where it changes from a polynomial to e^x - 1.
// run: groups 1,
//   in x = [-0.12247925556307049, 0.3, -0.45, 0.999, 1e-09, 0.125, -1.001, 1e-300],
//   out z = [-0.1227857073119146, 0.3045202934471426, -0.46534201693419774, 1.173658700352452,
//       1e-09, 0.12532577524111546, -1.1767448621364425, 1e-300]
enable weft_f64;

@group(0) @binding(0) var<storage> x : array<f64, 8>;
@group(0) @binding(1) var<storage, read_write> z : array<f64, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i : u32) {
  z[i] = sinh(x[i]);
}
