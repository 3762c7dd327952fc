// SPDX-License-Identifier: Apache-2.0
// y = a x b, for few rows of a.
//
//   a       [m, rounded up to the tile][k]
//   b       [k][n]
//   y       [m, rounded up to the tile][n]
//
// A workgroup has 16 columns (x) of a tile of rows (y).
struct Params { k : u32, n : u32 }

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let column = group.x * 16u + l;
  let tile = group.y * ${TILE}u;
  if (column >= p.n) { return; }
  let a#t = (tile + #tu) * p.k;
  var sum#t = 0.0;
  for (var i = 0u; i < p.k; i++) {
    let v = b[i * p.n + column];
    sum#t += a[a#t + i] * v;
  }
  y[(tile + #tu) * p.n + column] = sum#t;
}
