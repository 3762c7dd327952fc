// Sums along rows of any length, of products at scattered places; one of them is looked at while
// it grows.
// run: groups 1, in start = [0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 58, 75, 105, 109, 109,
//   130], in column = [7, 9, 3, 12, 15, 4, 2, 2, 0, 12, 9, 1, 7, 11, 8, 5, 3, 8, 6, 0, 8, 8, 6,
//   5, 9, 9, 11, 2, 10, 12, 7, 5, 7, 15, 8, 2, 9, 0, 9, 9, 6, 13, 13, 9, 13, 14, 5, 7, 9, 8, 1,
//   2, 1, 14, 8, 15, 10, 4, 6, 2, 13, 6, 14, 8, 5, 11, 13, 10, 6, 10, 3, 1, 7, 8, 7, 3, 10, 5,
//   9, 14, 0, 1, 11, 2, 9, 10, 0, 10, 9, 10, 4, 13, 2, 9, 6, 14, 9, 4, 8, 12, 5, 10, 0, 11, 1,
//   14, 5, 11, 11, 9, 3, 14, 6, 13, 6, 3, 1, 1, 1, 5, 4, 1, 15, 7, 10, 1, 3, 9, 13, 6], in value
//   = [6, -3, -2, 5, 4, 6, -8, -2, 4, 5, -2, 4, -3, 6, -3, -8, -8, -1, -1, -2, 7, -3, -2, 4, -1,
//   -5, 1, -8, 1, 9, -6, 9, 3, -8, 6, 3, -7, 4, -3, 9, -4, 1, 0, 6, 1, 4, 7, -3, -1, 1, 3, 6,
//   -7, -1, -3, -8, 3, -5, -1, -8, -4, 5, 9, 6, 3, 3, -3, -9, -3, -4, -9, -1, -6, 3, 3, -2, 8,
//   -8, -3, -4, 1, 8, 6, 7, 5, -9, -7, -8, -6, 6, 8, -1, -5, -8, 2, -7, 7, -9, 0, 2, -7, -7, 8,
//   5, 3, -3, 0, 3, -2, 6, 3, -6, -7, -6, 2, 7, 4, 4, 5, -7, -3, 0, 6, 4, -6, 8, -4, 2, -4, -4],
//   in x = [-5, 1, 6, 1, -1, 8, -9, -4, -9, 0, -6, 8, -6, 6, 6, 7], out y = [0, -24, -2, -8,
//   -110, 91, -107, 37, -68, 28, 67, 2, -62, -10, 0, 21], out z = [0, 6, -5, 15, -1, 2, -13,
//   -14, 17, 7, -4, -16, -15, -2, 0, 4], out w = [0, 0, 0, 0, 0, 2, 0, 7, 2, 4, 13, 2, 6, 0, 0,
//   2]
@group(0) @binding(0) var<storage> start : array<u32>;
@group(0) @binding(1) var<storage> column : array<u32>;
@group(0) @binding(2) var<storage> value : array<f32>;
@group(0) @binding(3) var<storage> x : array<f32>;
@group(0) @binding(4) var<storage, read_write> y : array<f32>;
@group(0) @binding(5) var<storage, read_write> z : array<f32>;
@group(0) @binding(6) var<storage, read_write> w : array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  var all = 0.0;
  let end = start[id.x + 1u];
  for (var i = start[id.x]; i < end; i++) {
    sum += value[i] * x[column[i]];
    all = value[i] + all;
  }
  y[id.x] = sum;
  z[id.x] = all;
  var grows = 0.0;
  var seen = 0u;
  for (var i = start[id.x]; i < end; i++) {
    grows += value[i] * x[column[i]];
    seen += u32(grows > 20.0);
  }
  w[id.x] = seen;
}
