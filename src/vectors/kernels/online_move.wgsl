// SPDX-License-Identifier: Apache-2.0
// Moves the weights of all units by a group of rows.
//
//   x       [rows, rounded up to the group][dim]    in their order
//   shares  [${GROUP}][stride]  of row first + i in each unit
//   keeps   [stride]            share of the old weights
//   weights [blocks][dim][16]
//
// A workgroup is a block of units (x) and 64 components (y).
struct Params { first : u32, rows : u32, dim : u32, stride : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> shares : array<f32>;
@group(0) @binding(2) var<storage, read> keeps : array<f32>;
@group(0) @binding(3) var<storage, read_write> weights : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let unit = group.x * 16u + l;
  let keep = keeps[unit];
  let last = min(group.y * 64u + 64u, p.dim);
  for (var d = group.y * 64u; d < last; d += ${TILE}u) {
    let start = (group.x * p.dim + d) * 16u + l;
    var w#t = 0.0;
    if (d + #tu < last) { w#t = keep * weights[start + #tu * 16u]; }
    for (var i = 0u; i < p.rows; i++) {
      let share = shares[i * p.stride + unit];
      let row = (p.first + i) * p.dim + d;
      w#t += share * x[row + #tu];
    }
    if (d + #tu < last) { weights[start + #tu * 16u] = w#t; }
  }
}
