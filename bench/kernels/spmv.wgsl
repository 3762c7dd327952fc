// SPDX-License-Identifier: Apache-2.0
// A sparse matrix, compressed by rows, times a vector: one row an invocation. Rows differ in
// length, and what they read of the vector is all over it.
@group(0) @binding(0) var<storage, read> start: array<u32>;     // rows + 1
@group(0) @binding(1) var<storage, read> column: array<u32>;
@group(0) @binding(2) var<storage, read> value: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&y)) { return; }
  var sum = 0.0;
  let end = start[id.x + 1u];
  for (var i = start[id.x]; i < end; i++) { sum += value[i] * x[column[i]]; }
  y[id.x] = sum;
}
