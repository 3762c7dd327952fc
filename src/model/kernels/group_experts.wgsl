// SPDX-License-Identifier: Apache-2.0
// Groups the choices of a batch by expert, so that a product reads an expert's weights once for
// several tokens.
//
//   chosen [choices]           the expert of each choice
//   order  [choices]           choices, those of the same expert together
//   items  [most items]        expert, first place in order, how many (at most TILE; 0: none)
//
// One workgroup; an invocation has every 64th expert.
struct Params { choices : u32, experts : u32, items : u32 }

override TILE : u32;

@group(0) @binding(0) var<storage, read> chosen : array<u32>;
@group(0) @binding(1) var<storage, read_write> order : array<u32>;
@group(0) @binding(2) var<storage, read_write> items : array<vec4u>;
@group(0) @binding(3) var<uniform> p : Params;

const most_experts = 1024u;

var<workgroup> count : array<u32, most_experts>;
var<workgroup> begin : array<u32, most_experts>;    // in order
var<workgroup> item : array<u32, most_experts>;     // the first of the expert

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l : u32) {
  for (var e = l; e < p.experts; e += 64u) {
    var n = 0u;
    for (var i = 0u; i < p.choices; i++) { n += select(0u, 1u, chosen[i] == e); }
    count[e] = n;
  }
  workgroupBarrier();
  if (l == 0u) {
    var at = 0u;
    var tiles = 0u;
    for (var e = 0u; e < p.experts; e++) {
      begin[e] = at;
      item[e] = tiles;
      at += count[e];
      tiles += (count[e] + TILE - 1u) / TILE;
    }
    for (var i = tiles; i < p.items; i++) { items[i] = vec4u(0u); }
  }
  workgroupBarrier();
  for (var e = l; e < p.experts; e += 64u) {
    var at = begin[e];
    for (var i = 0u; i < p.choices; i++) {
      if (chosen[i] == e) {
        order[at] = i;
        at++;
      }
    }
    for (var i = 0u; i < count[e]; i += TILE) {
      items[item[e] + i / TILE] = vec4u(e, begin[e] + i, min(TILE, count[e] - i), 0u);
    }
  }
}
