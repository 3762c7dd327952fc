// SPDX-License-Identifier: Apache-2.0
// silu: y = x / (1 + exp(-x)), elementwise.
//
//   x, y [n]                            groups ceil(n / WIDE)
override WIDE : u32 = 64;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(WIDE)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&x) {
    y[id.x] = x[id.x] / (1.0 + exp(-x[id.x]));
  }
}
