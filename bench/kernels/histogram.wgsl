// SPDX-License-Identifier: Apache-2.0
// 256 bins with atomics in shared memory, merged into the result with global atomics.
@group(0) @binding(0) var<storage, read> value: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
var<workgroup> local: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  atomicStore(&local[l], 0u);
  workgroupBarrier();
  for (var i = id.x; i < arrayLength(&value); i += 256u * 256u) { atomicAdd(&local[value[i] & 255u], 1u); }
  workgroupBarrier();
  atomicAdd(&bins[l], atomicLoad(&local[l]));
}
