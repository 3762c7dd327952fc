// SPDX-License-Identifier: Apache-2.0
// Scores of one query against the vectors of blocks; large is near.
//
//   data    [blocks of the segment][dim][16]
//   live    [blocks of the segment]     bit l: lane l holds a vector
//   list    [list_at + count]           the blocks to read, unless `all`
//   queries [number + 1][dim]
//   scores  [first + count][16]         NOTHING for lanes without a vector
//
// A workgroup is a block. The sum has four parts, so that no addition waits for the last one.
struct Params {
  dim : u32, count : u32, first : u32, width : u32,
  number : u32,         // of the query
  all : u32,            // 1: the blocks 0 to count - 1
  list_at : u32,
}

const NOTHING = -3.0e38;

@group(0) @binding(0) var<storage, read> data : array<f32>;
@group(0) @binding(1) var<storage, read> live : array<u32>;
@group(0) @binding(2) var<storage, read> list : array<u32>;
@group(0) @binding(3) var<storage, read> queries : array<f32>;
@group(0) @binding(4) var<storage, read_write> scores : array<f32>;
@group(0) @binding(5) var<uniform> p : Params;

fn term(sum : f32, v : f32, q : f32) -> f32 {
  ${TERM}
}

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let i = group.x + group.y * p.width;
  if (i >= p.count) { return; }
  var block = i;
  if (p.all == 0u) { block = list[p.list_at + i]; }
  let q = p.number * p.dim;
  let at = block * p.dim * 16u + l;
  var s0 = 0.0;
  var s1 = 0.0;
  var s2 = 0.0;
  var s3 = 0.0;
  var d = 0u;
  for (; d + 4u <= p.dim; d += 4u) {
    s0 = term(s0, data[at + d * 16u], queries[q + d]);
    s1 = term(s1, data[at + d * 16u + 16u], queries[q + d + 1u]);
    s2 = term(s2, data[at + d * 16u + 32u], queries[q + d + 2u]);
    s3 = term(s3, data[at + d * 16u + 48u], queries[q + d + 3u]);
  }
  for (; d < p.dim; d++) {
    s0 = term(s0, data[at + d * 16u], queries[q + d]);
  }
  let there = ((live[block] >> l) & 1u) == 1u;
  scores[(p.first + i) * 16u + l] = select(NOTHING, (s0 + s1) + (s2 + s3), there);
}
