// SPDX-License-Identifier: Apache-2.0
// Activations for the products with f32 activations: four neighbours together, beside them those
// of the other tokens of a tile.
//
//   x      [tokens used][stride]    from element `first` on, `count` of them
//   q      [tokens / tile][K / 4][tile]    elements k..k+3; zero beyond `count` and the tokens used
struct Params { tile : u32, used : u32, stride : u32, first : u32, count : u32 }

override K : u32;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> q : array<vec4f>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let k = id.x;
  let t = id.y;
  if (k >= K / 4u) { return; }
  var v = vec4f(0.0);
  if (t < p.used) {
    let at = t * p.stride + p.first + k * 4u;
    for (var i = 0u; i < 4u; i++) { if (k * 4u + i < p.count) { v[i] = x[at + i]; } }
  }
  q[(t / p.tile * (K / 4u) + k) * p.tile + t % p.tile] = v;
}
