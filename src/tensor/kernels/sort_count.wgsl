// SPDX-License-Identifier: Apache-2.0
// sort_count: how often each of 256 digits occurs in each chunk of a line:
// counts[LINES, 256, CHUNKS] from pairs[LINES, N]. One invocation a chunk.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let chunk = id.x;
  let line = id.z * 65535u + id.y;
  if chunk < ${CHUNKS} && line < ${LINES} {
    let start = line * 256u * ${CHUNKS} + chunk;
    for (var d = 0u; d < 256u; d++) {
      counts[start + d * ${CHUNKS}] = 0u;
    }
    let end = min((chunk + 1u) * ${LENGTH}, ${N});
    for (var i = chunk * ${LENGTH}; i < end; i++) {
      let digit = (pairs[2u * (line * ${N} + i)] >> ${SHIFT}) & 255u;
      counts[start + digit * ${CHUNKS}] += 1u;
    }
  }
}
