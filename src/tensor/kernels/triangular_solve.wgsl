// SPDX-License-Identifier: Apache-2.0
// triangular_solve: y[BATCH, N, M] with a y = b for triangular matrices a[BATCH, N, N] and
// b[BATCH, N, M], any strides. One invocation a column of b. The other triangle of a is not read.
${DECLARE}
const N = ${N};

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let column = group.x * 64u + index;
  let outer = group.z * 65535u + group.y;
  if column >= ${M} || outer >= ${BATCH} {
    return;
  }
  let a_start = ${A_START} + ${A_BATCH};
  let to = outer * N * ${M} + column;
  for (var step = 0u; step < N; step++) {
    let i = ${ORDER};
    var v = b_at(${B_START} + ${B_BATCH} + i * ${B_ROW} + column * ${B_COLUMN});
    for (var done = 0u; done < step; done++) {
      let k = ${BEFORE};
      v -= a_at(a_start + i * ${A_ROW} + k * ${A_COLUMN}) * y[to + k * ${M}];
    }
    y[to + i * ${M}] = v${DIVIDED};
  }
}
