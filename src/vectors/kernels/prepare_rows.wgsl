// SPDX-License-Identifier: Apache-2.0
// y = x * scale - centre
//
//   x, y    [rows][dim]
//   scale   [rows]
//   centre  [dim]
//
// x runs along the dimension, y over rows.
struct Params { rows : u32, dim : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> scale : array<f32>;
@group(0) @binding(2) var<storage, read> centre : array<f32>;
@group(0) @binding(3) var<storage, read_write> y : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < p.dim && id.y < p.rows) {
    let at = id.y * p.dim + id.x;
    y[at] = x[at] * scale[id.y] - centre[id.x];
  }
}
