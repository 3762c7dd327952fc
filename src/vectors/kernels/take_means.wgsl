// SPDX-License-Identifier: Apache-2.0
// The mean of each unit's rows becomes its weights; a unit without rows stays as it is.
//
//   sums    [units][dim]
//   hits    [units]
//   weights [blocks][dim][16]
//
// x runs along the dimension; a unit is y, and z beyond `width`.
struct Params { dim : u32, units : u32, width : u32 }

@group(0) @binding(0) var<storage, read> sums : array<f32>;
@group(0) @binding(1) var<storage, read> hits : array<f32>;
@group(0) @binding(2) var<storage, read_write> weights : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let unit = group.y + group.z * p.width;
  let d = group.x * 64u + l;
  if (unit >= p.units || d >= p.dim || hits[unit] == 0.0) { return; }
  weights[(unit / 16u * p.dim + d) * 16u + unit % 16u] = sums[unit * p.dim + d] / hits[unit];
}
