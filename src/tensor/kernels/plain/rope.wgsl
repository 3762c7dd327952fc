// SPDX-License-Identifier: Apache-2.0
// rope: rotary position embedding. The pairs (2i, 2i + 1) of each head turn by
// position * base^(-2i / width); positions begin at `offset`, the tokens in the cache before.
//
//   x, y [tokens, heads, width]         groups ceil(tokens * heads * width / 2 / WIDE)
struct Sizes { tokens : u32, heads : u32, width : u32, offset : u32, base : f32 }

override WIDE : u32 = 64;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> size : Sizes;

@compute @workgroup_size(WIDE)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let pairs = size.width / 2u;
  if id.x >= size.tokens * size.heads * pairs {
    return;
  }
  let pair = id.x % pairs;
  let token = id.x / (pairs * size.heads);
  let exponent = -2.0 * f32(pair) / f32(size.width);
  let angle = f32(size.offset + token) * pow(size.base, exponent);
  let even = x[2u * id.x];
  let odd = x[2u * id.x + 1u];
  y[2u * id.x] = even * cos(angle) - odd * sin(angle);
  y[2u * id.x + 1u] = even * sin(angle) + odd * cos(angle);
}
