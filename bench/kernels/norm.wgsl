// SPDX-License-Identifier: Apache-2.0
// The layer norm of language models: rows with mean 0 and variance 1, scaled and moved. One
// row a workgroup.
const cols = 768u;
const size = 256u;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> scale: array<f32>;
@group(0) @binding(2) var<storage, read> shift: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
var<workgroup> sums: array<f32, size>;
var<workgroup> squares: array<f32, size>;

@compute @workgroup_size(size)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let row = w.x * cols;
  var sum = 0.0;
  var square = 0.0;
  for (var i = l; i < cols; i += size) {
    let v = x[row + i];
    sum += v;
    square += v * v;
  }
  sums[l] = sum;
  squares[l] = square;
  workgroupBarrier();
  for (var s = size / 2u; s > 0u; s /= 2u) {
    if (l < s) {
      sums[l] += sums[l + s];
      squares[l] += squares[l + s];
    }
    workgroupBarrier();
  }
  let mean = sums[0] / f32(cols);
  let inverse = inverseSqrt(squares[0] / f32(cols) - mean * mean + 1e-5);
  for (var i = l; i < cols; i += size) {
    y[row + i] = (x[row + i] - mean) * inverse * scale[i] + shift[i];
  }
}
