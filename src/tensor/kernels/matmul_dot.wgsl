// SPDX-License-Identifier: Apache-2.0
// matmul_dot: a matrix with its rows along k, many[batch, LINES, K], times a few vectors,
// few[batch, FEW, K], any strides: the product of a matrix and a vector, or of both transposed.
// One workgroup reads one line of the matrix and multiplies it with every vector.
${DECLARE}
var<workgroup> part : array<${T}, ${PARTS}>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let batch = group.z;
  let line = ${LINE};
  if line >= ${LINES} {
    return;
  }
  let many_line = ${MANY_START} + line * ${MANY_LINE};
  let few_line = ${FEW_START};
  var acc : array<${T}, ${FEW}>;
  for (var at = 0u; at < ${K}; at += 64u) {
    let k = at + index;
    ${IF_TAIL} {
      let v = ${T}(${MANY}_at(many_line + k));
      for (var f = 0u; f < ${FEW}; f++) {
        acc[f] += v * ${T}(${FEW_NAME}_at(few_line + f * ${FEW_LINE} + k * ${FEW_STEP}));
      }
    }
  }
  for (var f = 0u; f < ${FEW}; f++) {
    part[f * 64u + index] = acc[f];
  }
  workgroupBarrier();
  for (var half = 32u; half > 0u; half >>= 1u) {
    if index < half {
      for (var f = 0u; f < ${FEW}; f++) {
        part[f * 64u + index] += part[f * 64u + index + half];
      }
    }
    workgroupBarrier();
  }
  if index < ${FEW} {
    let f = index;
    let row = ${ROW};
    let column = ${COLUMN};
    y[(batch * ${M} + row) * ${N} + column] = finish(batch, row, column, part[f * 64u]);
  }
}
