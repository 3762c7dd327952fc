// SPDX-License-Identifier: Apache-2.0
// h[v][u]: how much unit first + u follows unit v, for a chunk of units u.
//
//   h       [units][chunk]
//
// x runs over the chunk, y (and z beyond `width`) over all units.
${GRID}

struct Params { grid : Grid, units : u32, first : u32, chunk : u32, width : u32, radius : f32 }

@group(0) @binding(0) var<storage, read_write> h : array<f32>;
@group(0) @binding(1) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let v = group.y + group.z * p.width;
  let u = group.x * 64u + l;
  if (v >= p.units || u >= p.chunk) { return; }
  let d2 = grid_distance2(p.grid, grid_position(p.grid, p.first + u), grid_position(p.grid, v));
  h[v * p.chunk + u] = influence(p.grid, d2, p.radius);
}
