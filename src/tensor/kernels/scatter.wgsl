// SPDX-License-Identifier: Apache-2.0
// scatter: one update an invocation, combined with its accumulator by an atomic operation.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let u = id.y * 16776960u + id.x;
  if u < ${COUNT} {
    var place = 0u;
    var inside = true;
    ${PLACE}
    if inside {
      ${UPDATE}
      ${COMBINE}
    }
  }
}
