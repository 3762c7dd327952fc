// SPDX-License-Identifier: Apache-2.0
// Products of the rows of a group with each other, for online training.
//
//   x       [rows, rounded up to the group][dim]    in their order
//   gram    [rows][${GROUP}]    row i with row j of its group
//
// A workgroup has a tile of rows i (x, and y beyond `width`) and all rows j of the group.
struct Params { rows : u32, dim : u32, width : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> gram : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

@compute @workgroup_size(${GROUP})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let tile = (group.x + group.y * p.width) * ${TILE}u;
  if (tile >= p.rows) { return; }
  let first = tile / ${GROUP}u * ${GROUP}u;
  let mine = (first + l) * p.dim;
  let x#t = (tile + #tu) * p.dim;
  var s#t = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let v = x[mine + d];
    s#t += v * x[x#t + d];
  }
  gram[(tile + #tu) * ${GROUP}u + l] = s#t;
}
