// SPDX-License-Identifier: Apache-2.0
// sort_line: positions of the elements of a line in order, up to SIZE (a power of two) of them.
// x[LINES, N] in lines of BLOCK elements; y[LINES, N]: position inside the line. One workgroup
// sorts pairs of key and position by a bitonic network: the position decides between equal keys.
${DECLARE}
const N = ${N};
var<workgroup> keys : array<${KEY}, ${SIZE}>;
var<workgroup> places : array<u32, ${SIZE}>;

${KEY_OF}

@compute @workgroup_size(${WIDE})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let line = group.z * 65535u + group.y;
  if line >= ${LINES} {
    return;
  }
  let first = group.x * ${SIZE};
  for (var i = index; i < ${SIZE}; i += ${WIDE}) {
    let outer = line;
    if first + i < N {
      keys[i] = key_of(x_at(${START} + ${LINE_START} + (first + i) * ${STEP}));
    }
    places[i] = first + i;
  }
  workgroupBarrier();
  for (var span = 2u; span <= ${SIZE}; span <<= 1u) {
    for (var apart = span / 2u; apart > 0u; apart >>= 1u) {
      for (var i = index; i < ${SIZE} / 2u; i += ${WIDE}) {
        let low = (i & ~(apart - 1u)) * 2u + (i & (apart - 1u));
        let high = low + apart;
        let up = (low & span) == 0u;
        let a = places[low];
        let b = places[high];
        // places past the end of the line come last
        let swap = b < N && (a >= N || earlier(keys[high], keys[low])
                                || (!earlier(keys[low], keys[high]) && b < a));
        if swap == up {
          let k = keys[low];
          keys[low] = keys[high];
          keys[high] = k;
          places[low] = b;
          places[high] = a;
        }
      }
      workgroupBarrier();
    }
  }
  for (var i = index; i < ${SIZE}; i += ${WIDE}) {
    if first + i < N {
      ${STORE}
    }
  }
}
