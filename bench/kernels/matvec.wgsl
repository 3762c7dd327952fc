// SPDX-License-Identifier: Apache-2.0
// A matrix times a vector: one row an invocation, so that neighbours read far apart.
struct Size { rows: u32, cols: u32 }
@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= size.rows) { return; }
  var sum = 0.0;
  for (var i = 0u; i < size.cols; i++) { sum += a[id.x * size.cols + i] * x[i]; }
  y[id.x] = sum;
}
