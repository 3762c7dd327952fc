// SPDX-License-Identifier: Apache-2.0
//
// histogram - how often each byte occurs, counted in workgroup memory first so
// that the shared counters are touched once for each workgroup.
//
// in     words: the bytes, four to a u32
// out    counts: 256 counters, to be zero at the start
// groups any number; each takes its share of the words

const bins = 256u;

@group(0) @binding(0) var<storage, read> words : array<u32>;
@group(0) @binding(1) var<storage, read_write> counts : array<atomic<u32>, bins>;

var<workgroup> mine : array<atomic<u32>, bins>;

@compute @workgroup_size(bins)
fn histogram(@builtin(global_invocation_id) id : vec3u,
             @builtin(local_invocation_index) lane : u32,
             @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < arrayLength(&words); i += groups.x * bins) {
    let bytes = unpack4xU8(words[i]);
    for (var b = 0u; b < 4u; b++) {
      atomicAdd(&mine[bytes[b]], 1u);
    }
  }
  workgroupBarrier();

  let count = atomicLoad(&mine[lane]);
  if count != 0u {
    atomicAdd(&counts[lane], count);
  }
}
