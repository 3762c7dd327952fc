// SPDX-License-Identifier: Apache-2.0
// lu_solve: y[BATCH, N, M] with a y = b from the factors of lu. b[BATCH, N, M], any strides. One
// invocation a column of b.
${DECLARE}
const N = ${N};

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let column = group.x * 64u + index;
  let outer = group.z * 65535u + group.y;
  if column >= ${M} || outer >= ${BATCH} {
    return;
  }
  let factors = outer * N * N;
  let to = outer * N * ${M} + column;
  for (var i = 0u; i < N; i++) {
    let row = min(rows[outer * N + i], N - 1u);
    var v = b_at(${START} + ${BATCH_START} + row * ${ROW} + column * ${COLUMN});
    for (var k = 0u; k < i; k++) {
      v -= lu[factors + i * N + k] * y[to + k * ${M}];
    }
    y[to + i * ${M}] = v;
  }
  for (var back = 0u; back < N; back++) {
    let i = N - 1u - back;
    var v = y[to + i * ${M}];
    for (var k = i + 1u; k < N; k++) {
      v -= lu[factors + i * N + k] * y[to + k * ${M}];
    }
    y[to + i * ${M}] = v / lu[factors + i * N + i];
  }
}
