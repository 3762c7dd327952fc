// SPDX-License-Identifier: Apache-2.0
// cholesky: the upper factor u of symmetric matrices a[BATCH, N, N] = transpose(u) u, any strides;
// the upper triangle of a is read. y[BATCH, N, N]. One workgroup a matrix: row j is scaled, then
// subtracted from the rows below. Matrices that are not positive definite give NaN.
${DECLARE}
const N = ${N};
var<workgroup> pivot : ${T};

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.y * 65535u + group.x;
  if outer >= ${BATCH} {
    return;
  }
  let start = ${START} + ${BATCH_START};
  let to = outer * N * N;
  for (var i = 0u; i < N; i++) {
    for (var k = index; k < N; k += 64u) {
      var v = ${T}(0);
      if k >= i {
        v = a_at(start + i * ${ROW} + k * ${COLUMN});
      }
      y[to + i * N + k] = v;
    }
  }
  storageBarrier();
  for (var j = 0u; j < N; j++) {
    if index == 0u {
      pivot = 1.0 / sqrt(y[to + j * N + j]);
    }
    workgroupBarrier();
    for (var k = j + index; k < N; k += 64u) {
      y[to + j * N + k] *= pivot;
    }
    storageBarrier();
    for (var i = j + 1u; i < N; i++) {
      let f = y[to + j * N + i];
      for (var k = i + index; k < N; k += 64u) {
        y[to + i * N + k] -= f * y[to + j * N + k];
      }
    }
    storageBarrier();
  }
}
