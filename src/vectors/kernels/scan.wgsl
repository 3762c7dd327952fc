// SPDX-License-Identifier: Apache-2.0
// Scores of a tile of queries against the vectors of blocks; large is near.
//
//   data    [blocks of the segment][dim][16]
//   live    [blocks of the segment]     bit l: lane l holds a vector
//   queries [number + count, rounded up to the tile][dim]
//   scores  [count, rounded up][stride], from element 16 * first on; NOTHING for lanes
//           without a vector
//
// A workgroup is a block (x, and y beyond `width`) and a tile (z): a vector is read once for
// all queries of the tile.
struct Params { dim : u32, count : u32, first : u32, width : u32, number : u32, stride : u32 }

const NOTHING = -3.0e38;

@group(0) @binding(0) var<storage, read> data : array<f32>;
@group(0) @binding(1) var<storage, read> live : array<u32>;
@group(0) @binding(2) var<storage, read> queries : array<f32>;
@group(0) @binding(3) var<storage, read_write> scores : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

fn term(sum : f32, v : f32, q : f32) -> f32 {
  ${TERM}
}

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let block = group.x + group.y * p.width;
  if (block >= p.count) { return; }
  let at = block * p.dim * 16u + l;
  let tile = group.z * ${TILE}u;
  let q#t = (p.number + tile + #tu) * p.dim;
  var s#t = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let v = data[at + d * 16u];
    s#t = term(s#t, v, queries[q#t + d]);
  }
  let there = ((live[block] >> l) & 1u) == 1u;
  let to = tile * p.stride + (p.first + block) * 16u + l;
  scores[to + #tu * p.stride] = select(NOTHING, s#t, there);
}
