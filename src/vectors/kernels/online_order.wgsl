// SPDX-License-Identifier: Apache-2.0
// Puts rows in the order in which online training takes them.
//
//   x       [rows][dim]
//   order   [rows]              which row comes when
//   out     [rows][dim]
//
// x runs along the dimension; a row is y, and z beyond `width`.
struct Params { rows : u32, dim : u32, width : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> order : array<u32>;
@group(0) @binding(2) var<storage, read_write> out : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let row = group.y + group.z * p.width;
  let d = group.x * 64u + l;
  if (row < p.rows && d < p.dim) { out[row * p.dim + d] = x[order[row] * p.dim + d]; }
}
