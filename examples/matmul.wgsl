// SPDX-License-Identifier: Apache-2.0
//
// matmul - C = A B for matrices of any size, in tiles of workgroup memory.
//
// in     shape: rows of A, columns of B, and what they share
//        a [m x k], b [k x n], row by row
// out    c [m x n]
// groups ceil(n / 16) x ceil(m / 16)

struct Shape {
  m : u32,
  n : u32,
  k : u32,
}

@group(0) @binding(0) var<uniform> shape : Shape;
@group(0) @binding(1) var<storage, read> a : array<f32>;
@group(0) @binding(2) var<storage, read> b : array<f32>;
@group(0) @binding(3) var<storage, read_write> c : array<f32>;

const tile = 16u;

var<workgroup> tile_a : array<array<f32, tile>, tile>;
var<workgroup> tile_b : array<array<f32, tile>, tile>;

// Outside the matrix there are zeros, so that the tiles need no special case.
fn a_at(row : u32, column : u32) -> f32 {
  return select(0.0, a[row * shape.k + column], row < shape.m && column < shape.k);
}

fn b_at(row : u32, column : u32) -> f32 {
  return select(0.0, b[row * shape.n + column], row < shape.k && column < shape.n);
}

@compute @workgroup_size(tile, tile)
fn matmul(@builtin(global_invocation_id) id : vec3u,
          @builtin(local_invocation_id) local : vec3u) {
  let row = id.y;
  let column = id.x;
  var sum = 0.0;

  for (var start = 0u; start < shape.k; start += tile) {
    tile_a[local.y][local.x] = a_at(row, start + local.x);
    tile_b[local.y][local.x] = b_at(start + local.y, column);
    workgroupBarrier();
    for (var i = 0u; i < tile; i++) {
      sum = fma(tile_a[local.y][i], tile_b[i][local.x], sum);
    }
    workgroupBarrier();
  }
  if row < shape.m && column < shape.n {
    c[row * shape.n + column] = sum;
  }
}
