// SPDX-License-Identifier: Apache-2.0
// sort_places: the positions alone, as the result: element EACH * i + SECOND of `sorted`.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 16776960u + id.x;
  if i < ${COUNT} {
    y[i] = finish(i, i32(sorted[${EACH} * i + ${SECOND}]));
  }
}
