// SPDX-License-Identifier: Apache-2.0
// matmul_parts: adds the partial products parts[batch][PARTS][FEW][LINES] of matmul_stream.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let batch = id.z;
  let f = id.y;
  let line = id.x;
  if line < ${LINES} {
    var acc = ${T}(0);
    for (var p = 0u; p < ${PARTS}; p++) {
      acc += parts[((batch * ${PARTS} + p) * ${FEW} + f) * ${LINES} + line];
    }
    let row = ${ROW};
    let column = ${COLUMN};
    y[(batch * ${M} + row) * ${N} + column] = finish(batch, row, column, acc);
  }
}
