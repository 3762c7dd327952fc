// SPDX-License-Identifier: Apache-2.0
// matmul: y[batch, M, N] = a[batch, M, K] x b[batch, K, N].
// a any strides; columns of b side by side, in rows (B_PANEL 32 for panels of 32 columns) or as
// the packed panels of matmul_pack. One invocation computes one element, lanes run along N.
// Workgroups walk down the rows first, so that the columns of b which they share stay in cache.
${DECLARE}
@compute @workgroup_size(${WIDE}, ${TALL})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let batch = ${BATCH};
  let row = ${ROW_BLOCK} * ${TALL} + local.y;
  let column = group.y * ${WIDE} + local.x;
  if column < ${N} && row < ${M} {
    let a_row = ${A_START} + row * ${A_ROW};
    let b_column = ${B_START} + group.y * ${B_PANEL} + local.x;
    var acc = ${T}(0);
    for (var k = 0u; k < ${K}; k++) {
      acc = ${FMA};
    }
    y[(batch * ${M} + row) * ${N} + column] = finish(batch, row, column, acc);
  }
}
