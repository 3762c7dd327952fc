// SPDX-License-Identifier: Apache-2.0
// Streams three arrays of f64 through memory once.
enable weft_f64;
alias real = f64;
@group(0) @binding(0) var<storage, read> x: array<real>;
@group(0) @binding(1) var<storage, read> y: array<real>;
@group(0) @binding(2) var<storage, read_write> z: array<real>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&z)) { return; }
  z[i] = fma(2.5, x[i], y[i]);
}
