// SPDX-License-Identifier: Apache-2.0
// matmul: c = a b, one element an invocation.
//
//   a [m, k]   b [k, n]   c [m, n]      groups ceil(n / X), ceil(m / Y)
struct Sizes { m : u32, n : u32, k : u32 }

override X : u32 = 16;
override Y : u32 = 16;

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

@compute @workgroup_size(X, Y)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= size.n || id.y >= size.m {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k < size.k; k++) {
    sum += a[id.y * size.k + k] * b[k * size.n + id.x];
  }
  c[id.y * size.n + id.x] = sum;
}
