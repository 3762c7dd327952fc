// SPDX-License-Identifier: Apache-2.0
// Rotates the queries of a batch in place, rotates its keys and stores keys and values into
// the cache.
//
//   qkv    [tokens][stride]          queries from 0, keys from k_first, values from v_first
//   table  [tokens][rotated / 2]     cosine and sine for each pair
//   cells  [tokens]                  where each token goes: sequence, cell
//   keys   [sequence][kv head][cells / 64][D / ${PACK}][64]   ${PACK} neighbours of a head in
//          a word; what 64 cells have lies together
//   values [sequence][kv head][cells][DV / ${PACK}]
//   scales [sequence][kv head][cells / 64][D / 32][64]   of keys in words of four signed bytes;
//          from value_scales on [sequence][kv head][cells][DV / 32] those of values
//
// Pairs are (2i, 2i+1) with PAIRS 1, (i, i + rotated / 2) otherwise.
struct Params {
  tokens : u32, stride : u32, k_first : u32, v_first : u32, heads : u32, kv_heads : u32,
  rotated : u32, cells : u32, value_scales : u32,
}

override D : u32;
override DV : u32;
override PAIRS : u32 = 0;

@group(0) @binding(0) var<storage, read_write> qkv : array<f32>;
@group(0) @binding(1) var<storage, read> table : array<vec2f>;
@group(0) @binding(2) var<storage, read> cells : array<vec2u>;
@group(0) @binding(3) var<storage, read_write> keys : array<${WORD}>;
@group(0) @binding(4) var<storage, read_write> values : array<${WORD}>;
${SCALE_BINDINGS}
@group(0) @binding(7) var<uniform> p : Params;

// Element d of a head, rotated.
fn rotated(first : u32, d : u32, t : u32) -> f32 {
  let v = qkv[first + d];
  if (d >= p.rotated) { return v; }
  let half = p.rotated / 2u;
  if (PAIRS != 0u) {
    let c = table[t * half + d / 2u];
    let other = qkv[first + (d ^ 1u)];
    return select(other * c.y + v * c.x, v * c.x - other * c.y, (d & 1u) == 0u);
  }
  let i = select(d - half, d, d < half);
  let c = table[t * half + i];
  let other = qkv[first + select(d - half, d + half, d < half)];
  return select(other * c.y + v * c.x, v * c.x - other * c.y, d < half);
}

const most_size = 512u;                     // of a head
var<workgroup> head_key : array<f32, most_size>;
${SCALE_FUNCTIONS}

// A workgroup is one head of one token: first the heads of queries, then those of keys and
// values.
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let t = group.y;
  let row = t * p.stride;
  if (group.x < p.heads) {
    let first = row + group.x * D;
    for (var d = l; d < D; d += 64u) { head_key[d] = rotated(first, d, t); }
    workgroupBarrier();
    for (var d = l; d < D; d += 64u) { qkv[first + d] = head_key[d]; }
  } else {
    let h = group.x - p.heads;
    let first = row + p.k_first + h * D;
    for (var d = l; d < D; d += 64u) { head_key[d] = rotated(first, d, t); }
    workgroupBarrier();
    let cell = cells[t];
    let head = cell.x * p.kv_heads + h;
    let block = head * p.cells + cell.y / 64u * 64u;
    let place = cell.y % 64u;
    let v_from = row + p.v_first + h * DV;
    ${STORE_SCALES}
    for (var i = l; i < D / ${PACK}u; i += 64u) {
      keys[block * (D / ${PACK}u) + i * 64u + place] = ${PACK_KEY};
    }
    for (var i = l; i < DV / ${PACK}u; i += 64u) {
      values[(head * p.cells + cell.y) * (DV / ${PACK}u) + i] = ${PACK_VALUE};
    }
  }
}
