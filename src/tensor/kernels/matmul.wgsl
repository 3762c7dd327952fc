// SPDX-License-Identifier: Apache-2.0
// matmul: y[batch, M, N] = a[batch, M, K] x b[batch, K, N].
// a any strides; columns of b side by side, in rows (B_PANEL 32 for panels of 32 columns) or as
// the packed panels of matmul_pack. One invocation computes one element, lanes run along N.
// Workgroups walk down the rows first, so that the columns of b which they share stay in cache.
// Where the last block would reach past N it begins earlier, or reads the rest of its panel: every
// invocation multiplies, and no lane of the loop is idle. Only what is new is stored; a barrier
// before that, which differs between invocations, lets a compiler keep them together in the loop.
${DECLARE}
@compute @workgroup_size(${WIDE}, ${TALL})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let batch = ${BATCH};
  let row = ${ROW_BLOCK} * ${TALL} + local.y;
  let first = ${FIRST};
  let column = first + local.x;
  ${IF_NARROW} {
    let a_row = ${A_START} + ${ROW_READ} * ${A_ROW};
    let b_column = ${B_START} + ${B_FIRST} + local.x;
    var acc = ${T}(0);
    for (var k = 0u; k < ${K}; k++) {
      acc = ${FMA};
    }
    ${BARRIER}
    if ${STORES} {
      y[(batch * ${M} + row) * ${N} + column] = finish(batch, row, column, acc);
    }
  }
}
