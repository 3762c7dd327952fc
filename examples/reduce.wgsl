// SPDX-License-Identifier: Apache-2.0
//
// reduce - the sum of many numbers: first inside a workgroup, then, by running
// it again on the partial sums, over all of them.
//
// in     values: any number of them
// out    sums: one for each workgroup
// groups any number; each takes its share of the values

override group_size = 256u;         // must be a power of two

@group(0) @binding(0) var<storage, read> values : array<f32>;
@group(0) @binding(1) var<storage, read_write> sums : array<f32>;

var<workgroup> shares : array<f32, group_size>;

@compute @workgroup_size(group_size)
fn reduce(@builtin(global_invocation_id) id : vec3u,
          @builtin(local_invocation_index) lane : u32,
          @builtin(workgroup_id) group : vec3u,
          @builtin(num_workgroups) groups : vec3u) {
  // Neighbouring invocations read neighbouring values; all step together.
  var sum = 0.0;
  let stride = groups.x * group_size;
  for (var i = id.x; i < arrayLength(&values); i += stride) {
    sum += values[i];
  }
  shares[lane] = sum;

  // Half of the invocations add the other half's share, then half of those.
  for (var half = group_size / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if lane < half {
      shares[lane] += shares[lane + half];
    }
  }
  if lane == 0u {
    sums[group.x] = shares[0];
  }
}
