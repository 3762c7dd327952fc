// SPDX-License-Identifier: Apache-2.0
// Adds the rows of each unit to its sum.
//
//   x       [rows][dim]
//   order   [rows]              row numbers, those of a unit side by side
//   start   [units + 1]         where a unit's rows begin in `order`
//   sums    [units][dim]
//
// x runs along the dimension; a unit is y, and z beyond `width`.
struct Params { dim : u32, units : u32, width : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> order : array<u32>;
@group(0) @binding(2) var<storage, read> start : array<u32>;
@group(0) @binding(3) var<storage, read_write> sums : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let unit = group.y + group.z * p.width;
  let d = group.x * 64u + l;
  if (unit >= p.units || d >= p.dim) { return; }
  let last = start[unit + 1u];
  var sum = 0.0;
  for (var i = start[unit]; i < last; i++) {
    sum += x[order[i] * p.dim + d];
  }
  sums[unit * p.dim + d] += sum;
}
