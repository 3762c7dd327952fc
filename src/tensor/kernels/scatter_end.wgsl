// SPDX-License-Identifier: Apache-2.0
// scatter_end: the result from its accumulators; where these are numbers of updates (from 1 on),
// from the update or else from x.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 16776960u + id.x;
  if i < ${COUNT} {
    ${REPLACED}
    y[i] = finish(i, ${VALUE});
  }
}
