// SPDX-License-Identifier: Apache-2.0
// sort_move: puts the pairs of a chunk to their places, in order: one digit of a radix sort.
// One invocation a chunk.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let chunk = id.x;
  let line = id.z * 65535u + id.y;
  if chunk < ${CHUNKS} && line < ${LINES} {
    let start = line * 256u * ${CHUNKS} + chunk;
    let end = min((chunk + 1u) * ${LENGTH}, ${N});
    for (var i = chunk * ${LENGTH}; i < end; i++) {
      let key = pairs[2u * (line * ${N} + i)];
      let at = start + ((key >> ${SHIFT}) & 255u) * ${CHUNKS};
      let place = line * ${N} + min(counts[at], ${N} - 1u);
      counts[at] += 1u;
      moved[2u * place] = key;
      moved[2u * place + 1u] = pairs[2u * (line * ${N} + i) + 1u];
    }
  }
}
