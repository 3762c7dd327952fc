// SPDX-License-Identifier: Apache-2.0
// matmul_tiled: c = a b through square tiles in workgroup memory: each element of a and b is
// read from memory once for TILE results.
//
//   a [m, k]   b [k, n]   c [m, n]      groups ceil(n / TILE), ceil(m / TILE)
struct Sizes { m : u32, n : u32, k : u32 }

override TILE : u32 = 16;

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

var<workgroup> tile_a : array<f32, TILE * TILE>;
var<workgroup> tile_b : array<f32, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) at : vec3u) {
  let inside = id.x < size.n && id.y < size.m;
  let mine = at.y * TILE + at.x;
  var sum = 0.0;
  for (var start = 0u; start < size.k; start += TILE) {
    let row = start + at.y;
    let column = start + at.x;
    tile_a[mine] = select(0.0, a[id.y * size.k + column], id.y < size.m && column < size.k);
    tile_b[mine] = select(0.0, b[row * size.n + id.x], row < size.k && id.x < size.n);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += tile_a[at.y * TILE + k] * tile_b[k * TILE + at.x];
    }
    workgroupBarrier();
  }
  if inside {
    c[id.y * size.n + id.x] = sum;
  }
}
