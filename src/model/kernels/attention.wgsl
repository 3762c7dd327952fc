// SPDX-License-Identifier: Apache-2.0
// Attention of the queries of a batch over the cache, in chunks of ${CHUNK} cells with a
// running maximum and sum, so that any length fits workgroup memory.
//
//   qkv    [tokens][stride]          queries from 0
//   spots  [tokens]                  sequence, position, cells in use
//   places [sequence][cells]         the position in each cell; 0xffffffff: empty
//   keys, values, scales             as in rope_store
//   sinks  [heads]                   scores that take part in the softmax without a value
//   y      [tokens][heads * DV]
//
// A workgroup is one head of one token. A cell is seen if its position is not after the
// query's (with CAUSAL) and less than `window` before it (0: any). PARTS 1 ends after the
// scores, 2 after the softmax: to time them.
struct Params {
  stride : u32, heads : u32, kv_heads : u32, cells : u32, window : u32, y_stride : u32,
  scale : f32, soft_cap : f32, value_scales : u32,
}

override D : u32;
override DV : u32;
override CAUSAL : u32 = 1;
override PARTS : u32 = 0;

@group(0) @binding(0) var<storage, read> qkv : array<f32>;
@group(0) @binding(1) var<storage, read> spots : array<vec4u>;
@group(0) @binding(2) var<storage, read> places : array<u32>;
@group(0) @binding(3) var<storage, read> keys : array<${WORD}>;
@group(0) @binding(4) var<storage, read> values : array<${WORD}>;
${SCALE_BINDINGS}
${SINK_BINDING}
@group(0) @binding(8) var<storage, read_write> y : array<f32>;
@group(0) @binding(9) var<uniform> p : Params;

const none = -3.0e38;

var<workgroup> score : array<f32, ${CHUNK}>;
var<workgroup> part : array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let h = group.x;
  let t = group.y;
  let spot = spots[t];
  let head = spot.x * p.kv_heads + h / (p.heads / p.kv_heads);
  let q = t * p.stride + h * D;
  var most = none;
  var sum = 0.0;
  var out#d = ${ZERO};
  for (var base = 0u; base < spot.z; base += ${CHUNK}u) {
    let count = min(${CHUNK}u, spot.z - base);
    var top = none;
    for (var i = l; i < count; i += 64u) {
      var s = 0.0;
      ${SCORES}
      s *= p.scale;
      if (p.soft_cap > 0.0) { s = p.soft_cap * tanh(s / p.soft_cap); }
      let place = places[spot.x * p.cells + base + i];
      let seen = place != 0xffffffffu && (CAUSAL == 0u || place <= spot.y) &&
                 (p.window == 0u || place + p.window > spot.y);
      s = select(none, s, seen);
      score[i] = s;
      top = max(top, s);
    }
    part[l] = top;
    workgroupBarrier();
    for (var s = 32u; s > 0u; s /= 2u) {
      if (l < s) { part[l] = max(part[l], part[l + s]); }
      workgroupBarrier();
    }
    let higher = max(most, part[0]);
    workgroupBarrier();
    if (PARTS != 1u) {
      let shrink = select(exp(most - higher), 1.0, most == higher);
      var add = 0.0;
      for (var i = l; i < count; i += 64u) {
        let e = select(exp(score[i] - higher), 0.0, score[i] == none);
        score[i] = e;
        add += e;
      }
      part[l] = add;
      workgroupBarrier();
      for (var s = 32u; s > 0u; s /= 2u) {
        if (l < s) { part[l] += part[l + s]; }
        workgroupBarrier();
      }
      sum = sum * shrink + part[0];
      out#d *= shrink;
    }
    most = higher;
    if (PARTS == 0u) {
      for (var i = 0u; i < count; i++) {
        let e = score[i];
        let at = (head * p.cells + base + i) * (DV / ${PACK}u);
        ${VALUE_SCALE}
        ${VALUES}
      }
    }
    workgroupBarrier();
  }
  ${SINK}
  let r = select(0.0, 1.0 / sum, sum > 0.0);
  let to = t * p.y_stride + h * DV;
  ${STORE}
}
