// SPDX-License-Identifier: Apache-2.0
// Attention of the queries of a batch over the cache, in chunks of ${CHUNK} cells with a
// running maximum and sum, so that any length fits workgroup memory.
//
//   qkv    [tokens][stride]          queries from 0
//   spots  [tokens]                  sequence, position, cells that it may see
//   places [sequence][cells]         the position in each cell; 0xffffffff: empty
//   keys, values, scales             as in rope_store; cells is a multiple of 64
//   sinks  [heads]                   scores that take part in the softmax without a value
//   y      [tokens][heads * DV]
//
// A workgroup is ${HEADS} heads of one token, whose keys and values are the same; lines with #h
// stand for one line for each. A cell is seen if its position is not after the
// query's (with CAUSAL) and less than `window` before it (0: any). Positions grow with the
// cells, so that a window is within as many of the last cells. PARTS 1 ends after the
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

var<workgroup> score : array<f32, ${SCORE_ROOM}>;
var<workgroup> part : array<f32, ${PART_ROOM}>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let h = group.x * ${HEADS}u;
  let t = group.y;
  let spot = spots[t];
  let head = spot.x * p.kv_heads + h / (p.heads / p.kv_heads);
  let q#h = t * p.stride + (h + #hu) * D;
  var most#h = none;
  var sum#h = 0.0;
  var out#d_#h = ${ZERO};
  let past = select(0u, spot.z - p.window, p.window > 0u && spot.z > p.window && CAUSAL != 0u);
  for (var base = past / ${CHUNK}u * ${CHUNK}u; base < spot.z; base += ${CHUNK}u) {
    let count = min(${CHUNK}u, spot.z - base);
    var top#h = none;
    for (var run = 0u; run < count; run += 64u) {
      let i = run + l;
      let block = head * p.cells + base + run;
      var s#h = 0.0;
      ${SCORES}
      s#h *= p.scale;
      if (p.soft_cap > 0.0) {
        s#h = p.soft_cap * tanh(s#h / p.soft_cap);
      }
      let place = places[spot.x * p.cells + base + i];
      let seen = i < count && place != 0xffffffffu && (CAUSAL == 0u || place <= spot.y) &&
                 (p.window == 0u || place + p.window > spot.y);
      s#h = select(none, s#h, seen);
      score[#hu * ${CHUNK}u + i] = s#h;
      top#h = max(top#h, s#h);
    }
    part[#hu * 64u + l] = top#h;
    workgroupBarrier();
    for (var s = 32u; s > 0u; s /= 2u) {
      if (l < s) {
        part[#hu * 64u + l] = max(part[#hu * 64u + l], part[#hu * 64u + l + s]);
      }
      workgroupBarrier();
    }
    let higher#h = max(most#h, part[#hu * 64u]);
    workgroupBarrier();
    if (PARTS != 1u) {
      let shrink#h = select(exp(most#h - higher#h), 1.0, most#h == higher#h);
      var add#h = 0.0;
      for (var i = l; i < (count + 63u) / 64u * 64u; i += 64u) {
        let s#h = score[#hu * ${CHUNK}u + i];
        let e#h = select(exp(s#h - higher#h), 0.0, s#h == none);
        score[#hu * ${CHUNK}u + i] = e#h;
        add#h += e#h;
      }
      part[#hu * 64u + l] = add#h;
      workgroupBarrier();
      for (var s = 32u; s > 0u; s /= 2u) {
        if (l < s) {
          part[#hu * 64u + l] += part[#hu * 64u + l + s];
        }
        workgroupBarrier();
      }
      sum#h = sum#h * shrink#h + part[#hu * 64u];
      out#d_#h *= shrink#h;
    }
    most#h = higher#h;
    if (PARTS == 0u) {
      for (var i = 0u; i < count; i++) {
        let e#h = score[#hu * ${CHUNK}u + i];
        let at = (head * p.cells + base + i) * (DV / ${PACK}u);
        ${VALUE_SCALE}
        ${VALUES}
      }
    }
    workgroupBarrier();
  }
  ${SINK}
  let r#h = select(0.0, 1.0 / sum#h, sum#h > 0.0);
  let to#h = t * p.y_stride + (h + #hu) * DV;
  ${STORE}
}
