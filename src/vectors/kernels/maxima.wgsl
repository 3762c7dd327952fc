// SPDX-License-Identifier: Apache-2.0
// The largest of each 64 scores, for `select`.
//
//   scores  [queries][stride], of which `count` count
//   maxima  [queries][64 * spans]      spans: 4096 scores each
//
// A workgroup is a span of a query. Lane l has the elements l, l + 64, l + 128, ... of it.
struct Params { count : u32, stride : u32, spans : u32 }

const NOTHING = -3.0e38;

@group(0) @binding(0) var<storage, read> scores : array<f32>;
@group(0) @binding(1) var<storage, read_write> maxima : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let start = group.y * p.stride + group.x * 4096u;
  let last = min(4096u, p.count - group.x * 4096u);
  var m = NOTHING;
  for (var i = 0u; i + 64u <= last; i += 64u) {
    m = max(m, scores[start + i + l]);
  }
  let rest = last / 64u * 64u + l;
  if (rest < last) { m = max(m, scores[start + rest]); }
  maxima[(group.y * p.spans + group.x) * 64u + l] = m;
}
