// SPDX-License-Identifier: Apache-2.0
// The experts of each token: those with the highest scores, and how much each counts - the
// softmax over the scores of the chosen ones, which is the softmax over all, normalised.
//
//   x      [tokens][stride]    scores, from the router's product
//   bias   [experts]           (with BIAS 1)
//   chosen [tokens][USED]      in order of their scores; of equal ones the first
//   share  [tokens][USED]
//
// A workgroup is a token.
struct Params { stride : u32, experts : u32, scale : f32 }

override USED : u32;
override BIAS : u32 = 0;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> bias : array<f32>;
@group(0) @binding(2) var<storage, read_write> chosen : array<u32>;
@group(0) @binding(3) var<storage, read_write> share : array<f32>;
@group(0) @binding(4) var<uniform> p : Params;

const most_experts = 1024u;
const none = -3.0e38;

var<workgroup> score : array<f32, most_experts>;
var<workgroup> best : array<f32, 64>;
var<workgroup> place : array<u32, 64>;
var<workgroup> first : f32;
var<workgroup> sum : f32;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let t = group.x;
  for (var e = l; e < p.experts; e += 64u) {
    var v = x[t * p.stride + e];
    if (BIAS != 0u) { v += bias[e]; }
    score[e] = max(v, -1.0e38);
  }
  workgroupBarrier();
  for (var i = 0u; i < USED; i++) {
    var top = none;
    var at = 0u;
    for (var e = l; e < p.experts; e += 64u) {
      if (score[e] > top) { top = score[e]; at = e; }
    }
    best[l] = top;
    place[l] = at;
    workgroupBarrier();
    for (var s = 32u; s > 0u; s /= 2u) {
      if (l < s) {
        let other = best[l + s];
        if (other > best[l] || (other == best[l] && place[l + s] < place[l])) {
          best[l] = other;
          place[l] = place[l + s];
        }
      }
      workgroupBarrier();
    }
    if (l == 0u) {
      if (i == 0u) { first = best[0]; sum = 0.0; }
      let e = exp(best[0] - first);
      sum += e;
      chosen[t * USED + i] = place[0];
      share[t * USED + i] = e;
      score[place[0]] = none;
    }
    workgroupBarrier();
  }
  storageBarrier();
  if (l < USED) { share[t * USED + l] *= p.scale / sum; }
}
