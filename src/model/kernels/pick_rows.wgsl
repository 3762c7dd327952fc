// SPDX-License-Identifier: Apache-2.0
// y[i] = x[rows[i]]: the rows whose logits are wanted.
struct Params { n : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> rows : array<u32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x >= p.n) { return; }
  y[id.y * p.n + id.x] = x[rows[id.y] * p.n + id.x];
}
