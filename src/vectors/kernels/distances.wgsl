// SPDX-License-Identifier: Apache-2.0
// How far each row is from its unit, and from the centre.
//
//   x        [rows][dim]
//   units    [blocks][dim][16]
//   nearest  [rows][2]
//   squares  [rows][2]          |x - w|^2, |x|^2
//
// An invocation is a row.
struct Params { rows : u32, dim : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> units : array<f32>;
@group(0) @binding(2) var<storage, read> nearest : array<u32>;
@group(0) @binding(3) var<storage, read_write> squares : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let row = id.x;
  if (row >= p.rows) { return; }
  let unit = nearest[row * 2u];
  let start = unit / 16u * p.dim * 16u + unit % 16u;
  var apart = 0.0;
  var length = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let v = x[row * p.dim + d];
    let e = v - units[start + d * 16u];
    apart += e * e;
    length += v * v;
  }
  squares[row * 2u] = apart;
  squares[row * 2u + 1u] = length;
}
