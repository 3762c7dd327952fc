// SPDX-License-Identifier: Apache-2.0
// Products of a group of rows with the weights of all units, before the group moves them.
//
//   x       [rows, rounded up to the group][dim]    in their order
//   weights [blocks][dim][16]
//   scores  [${GROUP}][stride]  x_i . w_u for row first + i
//   norms   [stride]            |w_u|^2
//
// A workgroup is a block of units (x) and a tile of rows (y).
struct Params { first : u32, rows : u32, dim : u32, stride : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> weights : array<f32>;
@group(0) @binding(2) var<storage, read_write> scores : array<f32>;
@group(0) @binding(3) var<storage, read_write> norms : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let tile = group.y * ${TILE}u;
  let start = group.x * p.dim * 16u + l;
  let x#t = (p.first + tile + #tu) * p.dim;
  var s#t = 0.0;
  var norm = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let w = weights[start + d * 16u];
    s#t += w * x[x#t + d];
    norm += w * w;
  }
  let unit = group.x * 16u + l;
  scores[(tile + #tu) * p.stride + unit] = s#t;
  if (tile == 0u) { norms[unit] = norm; }
}
