// SPDX-License-Identifier: Apache-2.0
// lu_det: y[BATCH], determinants: the product of the diagonal of lu, and the sign of the rows'
// order.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let outer = id.y * 65535u * 64u + id.x;
  if outer < ${BATCH} {
    var v = signs[outer];
    for (var i = 0u; i < ${N}; i++) {
      v *= lu[(outer * ${N} + i) * ${N} + i];
    }
    y[outer] = v;
  }
}
