// SPDX-License-Identifier: Apache-2.0
// The softmax of a row by each invocation, in f64: limited by exp().
enable weft_f64;
alias real = f64;
const cols = 64u;
@group(0) @binding(0) var<storage, read> x: array<real>;
@group(0) @binding(1) var<storage, read_write> y: array<real>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = arrayLength(&x) / cols;
  if (id.x >= rows) { return; }
  var most = x[id.x];
  for (var k = 1u; k < cols; k++) { most = max(most, x[k * rows + id.x]); }
  var sum = real(0);
  for (var k = 0u; k < cols; k++) {
    let e = exp(x[k * rows + id.x] - most);
    y[k * rows + id.x] = e;
    sum += e;
  }
  for (var k = 0u; k < cols; k++) { y[k * rows + id.x] /= sum; }
}
