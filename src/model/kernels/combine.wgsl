// SPDX-License-Identifier: Apache-2.0
// y[t] = the sum over a token's choices of share * (x + the expert's bias).
//
//   x      [tokens][USED][stride]
//   chosen, share [tokens][USED]
//   bias   [experts][n]        (with BIAS 1)
//   y      [tokens][n]
struct Params { n : u32, stride : u32 }

override USED : u32;
override BIAS : u32 = 0;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> chosen : array<u32>;
@group(0) @binding(2) var<storage, read> share : array<f32>;
@group(0) @binding(3) var<storage, read> bias : array<f32>;
@group(0) @binding(4) var<storage, read_write> y : array<f32>;
@group(0) @binding(5) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  let t = id.y;
  if (i >= p.n) { return; }
  var sum = 0.0;
  for (var c = t * USED; c < (t + 1u) * USED; c++) {
    var v = x[c * p.stride + i];
    if (BIAS != 0u) { v += bias[chosen[c] * p.n + i]; }
    sum += share[c] * v;
  }
  y[t * p.n + i] = sum;
}
