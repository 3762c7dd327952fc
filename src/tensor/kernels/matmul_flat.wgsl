// SPDX-License-Identifier: Apache-2.0
// matmul_flat: y[batch, M, N] = a[batch, M, K] x b[batch, K, N] for many small matrices, any
// strides. One invocation computes one element, numbered over all of y.
${DECLARE}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * ${ROW} + id.x;
  if i < ${COUNT} {
    let column = i % ${N};
    let row = i / ${N} % ${M};
    let batch = i / (${M} * ${N});
    let a_row = ${A_START} + row * ${A_ROW};
    let b_column = ${B_START} + column * ${B_COLUMN};
    var acc = ${T}(0);
    for (var k = 0u; k < ${K}; k++) {
      acc += ${T}(a_at(a_row + k * ${A_COLUMN})) * ${T}(b_at(b_column + k * ${B_ROW}));
    }
    y[i] = finish(batch, row, column, acc);
  }
}
