// SPDX-License-Identifier: Apache-2.0
// Streams three arrays through memory once: the bandwidth limit.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&z)) { return; }
  z[i] = 2.5 * x[i] + y[i];
}
