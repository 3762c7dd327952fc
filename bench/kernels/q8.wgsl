// SPDX-License-Identifier: Apache-2.0
// A matrix of 8-bit integers, with a scale a row, times a vector of 8-bit integers: one row
// a workgroup, four products an instruction where the machine has one.
const words = 1024u;
@group(0) @binding(0) var<storage, read> a: array<u32>;         // rows x words
@group(0) @binding(1) var<storage, read> x: array<u32>;         // words
@group(0) @binding(2) var<storage, read> scale: array<f32>;     // rows
@group(0) @binding(3) var<storage, read_write> y: array<f32>;   // rows
var<workgroup> part: array<i32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let row = w.x * words;
  var sum = 0;
  for (var i = l; i < words; i += 64u) { sum += dot4I8Packed(a[row + i], x[i]); }
  part[l] = sum;
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (l < s) { part[l] += part[l + s]; }
    workgroupBarrier();
  }
  if (l == 0u) { y[w.x] = scale[w.x] * f32(part[0]); }
}
