// SPDX-License-Identifier: Apache-2.0
// Row softmax with a shared-memory reduction for the maximum and the sum.
const cols = 1024u;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let row = w.x * cols;
  var m = -3.0e38;
  for (var i = l; i < cols; i += 256u) { m = max(m, x[row + i]); }
  part[l] = m;
  workgroupBarrier();
  for (var s = 128u; s > 0u; s >>= 1u) {
    if (l < s) { part[l] = max(part[l], part[l + s]); }
    workgroupBarrier();
  }
  m = part[0];
  workgroupBarrier();
  var sum = 0.0;
  for (var i = l; i < cols; i += 256u) { sum += exp(x[row + i] - m); }
  part[l] = sum;
  workgroupBarrier();
  for (var s = 128u; s > 0u; s >>= 1u) {
    if (l < s) { part[l] += part[l + s]; }
    workgroupBarrier();
  }
  let scale = 1.0 / part[0];
  for (var i = l; i < cols; i += 256u) { y[row + i] = exp(x[row + i] - m) * scale; }
}
