// SPDX-License-Identifier: Apache-2.0
// scatter_start: the accumulators before any update: the elements of x as words, or 0.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 16776960u + id.x;
  if i < ${COUNT} {
    acc[i] = ${FIRST};
  }
}
