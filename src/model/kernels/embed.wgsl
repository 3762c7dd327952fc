// SPDX-License-Identifier: Apache-2.0
// Rows of an embedding table for tokens, times a factor; added to y with ADD 1.
//
//   table  as the products have it: 16 rows interleaved
//   ids    [tokens]
//   y      [tokens][n]
struct Params { n : u32, words : u32, first : u32, rows : u32, factor : f32 }

override ADD : u32 = 0;
override K : u32;

@group(0) @binding(0) var<storage, read> w : array<u32>;
${SCALE_BINDINGS}
@group(0) @binding(3) var<storage, read> ids : array<u32>;
@group(0) @binding(4) var<storage, read_write> y : array<f32>;
@group(0) @binding(5) var<uniform> p : Params;

fn weight(g : u32, lane : u32, k : u32) -> f32 {
  ${WEIGHT}
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let k = id.x;
  if (k >= p.n) { return; }
  let row = ids[id.y] - p.first;       // wraps where the row is in another part of the table
  if (row >= p.rows) { return; }
  let v = weight(row / 16u, row % 16u, k) * p.factor;
  let at = id.y * p.n + k;
  if (ADD != 0u) { y[at] += v; } else { y[at] = v; }
}
