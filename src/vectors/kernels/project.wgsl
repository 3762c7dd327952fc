// SPDX-License-Identifier: Apache-2.0
// Rows along axes: y = x . axis.
//
//   x       [rows][dim]
//   axes    [components][dim]
//   y       [rows][components]
//
// An invocation is a row (x) and a component (y).
struct Params { rows : u32, dim : u32, components : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> axes : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x >= p.rows) { return; }
  var sum = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    sum += x[id.x * p.dim + d] * axes[id.y * p.dim + d];
  }
  y[id.x * p.components + id.y] = sum;
}
