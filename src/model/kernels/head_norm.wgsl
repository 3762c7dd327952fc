// SPDX-License-Identifier: Apache-2.0
// Norms of the heads of queries or keys, in place: the root of the mean square over D
// elements, times a gain.
//
//   x      [rows][stride]    heads one behind the other from `first` on
//   gain   [D]
struct Params { stride : u32, first : u32, heads : u32, epsilon : f32 }

override D : u32;

@group(0) @binding(0) var<storage, read_write> x : array<f32>;
@group(0) @binding(1) var<storage, read> gain : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

var<workgroup> part : array<f32, 64>;

// A workgroup is one head of one row.
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let at = group.y * p.stride + p.first + group.x * D;
  var sum = 0.0;
  for (var i = l; i < D; i += 64u) { sum += x[at + i] * x[at + i]; }
  part[l] = sum;
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (l < s) { part[l] += part[l + s]; }
    workgroupBarrier();
  }
  let r = 1.0 / sqrt(part[0] / f32(D) + p.epsilon);
  for (var i = l; i < D; i += 64u) { x[at + i] = x[at + i] * r * gain[i]; }
}
