// SPDX-License-Identifier: Apache-2.0
// The weights of a chunk of units after an epoch: the mean of all rows, weighted by how much
// the unit follows the row's unit.
//
//   h       [units][chunk]      of `influences`; chunk is a multiple of the tile
//   sums    [units][dim]        the sum of each unit's rows, and their number:
//   hits    [units]
//   weights [blocks][dim][16]   unit first + u; stays as it is where nothing is near
//
// A workgroup has 64 components (x) of a tile of units (y).
struct Params { dim : u32, units : u32, first : u32, chunk : u32 }

@group(0) @binding(0) var<storage, read> h : array<f32>;
@group(0) @binding(1) var<storage, read> sums : array<f32>;
@group(0) @binding(2) var<storage, read> hits : array<f32>;
@group(0) @binding(3) var<storage, read_write> weights : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let d = group.x * 64u + l;
  let tile = group.y * ${TILE}u;
  if (d >= p.dim) { return; }
  var sum#t = 0.0;
  var all#t = 0.0;
  for (var v = 0u; v < p.units; v++) {
    let s = sums[v * p.dim + d];
    let n = hits[v];
    let at = v * p.chunk + tile;
    sum#t += h[at + #tu] * s;
    all#t += h[at + #tu] * n;
  }
  let unit = p.first + tile;
  let to#t = ((unit + #tu) / 16u * p.dim + d) * 16u + (unit + #tu) % 16u;
  if (unit + #tu < p.units && all#t > 1e-20) { weights[to#t] = sum#t / all#t; }
}
