// Quotients by constants and by numbers that all invocations share: exact ones, zeros, large and
// small numbers, and by what each invocation has.
// run: groups 1, in by = [7, 49, 0.5, 1e30], in x = [0, 7, -49, 98, 1, 2, 3, 1e30, -1e-30, 343, 5,
//   10, 12.5, 100, 1000, 3e38], out y = [0, 1, -7, 14, 0.142857142857, 0.285714285714,
//   0.428571428571, 1.428571428571e29, -1.428571428571e-31, 49, 0.714285714286, 1.428571428571,
//   1.785714285714, 14.285714285714, 142.857142857143, 4.285714285714e37], out z = [0, 1, -7, 14,
//   0.142857142857, 0.285714285714, 0.428571428571, 1.428571428571e29, -1.428571428571e-31, 49,
//   0.714285714286, 1.428571428571, 1.785714285714, 14.285714285714, 142.857142857143,
//   4.285714285714e37], out whole = [0, 0, -1, 2, 0, 0, 0, 7, 0, 7, 0, 0, 0, 2, 20, 7]
@group(0) @binding(0) var<storage> by : array<f32>;
@group(0) @binding(1) var<storage> x : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<storage, read_write> z : array<f32>;
@group(0) @binding(4) var<storage, read_write> whole : array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i : u32) {
  y[i] = x[i] / 7;
  z[i] = x[i] / by[0];
  whole[i] = select(i32(trunc(x[i] / by[1])), 7, abs(x[i]) > 1e20);
}
