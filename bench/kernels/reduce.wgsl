// SPDX-License-Identifier: Apache-2.0
// The sum of an array: each invocation adds up a share of it, each workgroup the sums of
// its invocations, and a last workgroup those of all.
const groups = 256u;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> part: array<f32, groups>;
@group(0) @binding(2) var<storage, read_write> total: array<f32, 1>;
var<workgroup> sums: array<f32, 256>;

fn sum_of_workgroup(mine: f32, l: u32) -> f32 {
  sums[l] = mine;
  workgroupBarrier();
  for (var s = 128u; s > 0u; s /= 2u) {
    if (l < s) { sums[l] += sums[l + s]; }
    workgroupBarrier();
  }
  return sums[0];
}

@compute @workgroup_size(256)
fn parts(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u,
         @builtin(local_invocation_index) l: u32) {
  var mine = 0.0;
  for (var i = id.x; i < arrayLength(&x); i += groups * 256u) { mine += x[i]; }
  let sum = sum_of_workgroup(mine, l);
  if (l == 0u) { part[w.x] = sum; }
}

@compute @workgroup_size(256)
fn whole(@builtin(local_invocation_index) l: u32) {
  var mine = 0.0;
  for (var i = l; i < groups; i += 256u) { mine += part[i]; }
  let sum = sum_of_workgroup(mine, l);
  if (l == 0u) { total[0] = sum; }
}
