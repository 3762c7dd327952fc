// SPDX-License-Identifier: Apache-2.0
// Activations for the products with 8-bit activations: blocks of 32 as signed bytes.
//
//   x      [tokens used][stride]    from element `first` on
//   q      [tokens / tile][K / 4][tile]    four bytes; tokens beyond those used are zero
//   s      [tokens / tile][K / 32][tile]   scale; scale * sum of bytes 0..15; of 16..31; of all
struct Params { tile : u32, used : u32, stride : u32, first : u32 }

override K : u32;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> q : array<u32>;
@group(0) @binding(2) var<storage, read_write> s : array<vec4f>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let b = id.x;
  let t = id.y;
  let run = t / p.tile;
  let column = t % p.tile;
  if (b >= K / 32u) { return; }
  var most = 0.0;
  let base = t * p.stride + p.first + b * 32u;
  let used = t < p.used;
  for (var i = 0u; i < 32u; i++) { most = max(most, abs(select(0.0, x[base + i], used))); }
  let scale = most / 127.0;
  let inverse = select(0.0, 127.0 / most, most > 0.0);
  var low = 0;
  var high = 0;
  for (var i = 0u; i < 8u; i++) {
    let at = base + i * 4u;
    let v = select(vec4f(0.0), vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]), used);
    let n = vec4i(round(v * inverse));
    let sum = n.x + n.y + n.z + n.w;
    if (i < 4u) { low += sum; } else { high += sum; }
    q[(run * (K / 4u) + b * 8u + i) * p.tile + column] = pack4xI8(n);
  }
  s[(run * (K / 32u) + b) * p.tile + column] =
      vec4f(scale, scale * f32(low), scale * f32(high), scale * f32(low + high));
}
