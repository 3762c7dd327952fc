// SPDX-License-Identifier: Apache-2.0
// The diagonal of a square matrix.
//
//   c       [dim][dim]
//   y       [dim]
@group(0) @binding(0) var<storage, read> c : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let dim = arrayLength(&y);
  if (id.x < dim) { y[id.x] = c[id.x * dim + id.x]; }
}
