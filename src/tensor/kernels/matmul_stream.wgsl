// SPDX-License-Identifier: Apache-2.0
// matmul_stream: a few vectors, few[batch, FEW, K], times a matrix with its lines side by side,
// many[batch, K, LINES]. A workgroup sums DEPTH rows of the matrix for BLOCK lines at a time: it
// reads memory in the order it is in. parts[batch][K / DEPTH][FEW][LINES] are added up by
// matmul_parts.
${DECLARE}
var<workgroup> acc : array<${T}, ${CELLS}>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let batch = group.z;
  let first = group.x * ${BLOCK};
  let many_start = ${MANY_START} + first;
  let few_start = ${FEW_START};
  let end = min(group.y * ${DEPTH} + ${DEPTH}, ${K});
  for (var k = group.y * ${DEPTH}; k < end; k++) {
    for (var f = 0u; f < ${FEW}; f++) {
      let v = ${T}(${FEW_NAME}_at(few_start + f * ${FEW_LINE} + k * ${FEW_STEP}));
      for (var at = 0u; at < ${BLOCK}; at += 256u) {
        let line = at + index;
        if first + line < ${LINES} {
          acc[f * ${BLOCK} + line] += v * ${T}(${MANY}_at(many_start + k * ${MANY_STEP} + line));
        }
      }
    }
  }
  for (var f = 0u; f < ${FEW}; f++) {
    for (var at = 0u; at < ${BLOCK}; at += 256u) {
      let line = first + at + index;
      if line < ${LINES} {
        parts[((batch * ${PARTS} + group.y) * ${FEW} + f) * ${LINES} + line] =
            acc[f * ${BLOCK} + at + index];
      }
    }
  }
}
