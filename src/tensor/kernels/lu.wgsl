// SPDX-License-Identifier: Apache-2.0
// lu: factors of matrices a[BATCH, N, N], any strides, with the largest pivot of each column:
// lu[BATCH, N, N] holds u and, below it, l without its diagonal of ones; rows[BATCH, N] the row of
// a at each row of lu; signs[BATCH] 1 or -1. One workgroup a matrix.
${DECLARE}
const N = ${N};
var<workgroup> best : array<${T}, 64>;
var<workgroup> best_row : array<u32, 64>;
var<workgroup> sign : ${T};

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
      lu[to + i * N + k] = a_at(start + i * ${ROW} + k * ${COLUMN});
    }
    if index == 0u {
      rows[outer * N + i] = i;
    }
  }
  if index == 0u {
    sign = ${T}(1);
  }
  storageBarrier();
  workgroupBarrier();
  for (var j = 0u; j < N; j++) {
    var most = ${T}(-1);
    var row = j;
    for (var i = j + index; i < N; i += 64u) {
      let v = abs(lu[to + i * N + j]);
      if v > most {
        most = v;
        row = i;
      }
    }
    best[index] = most;
    best_row[index] = row;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half >>= 1u) {
      if index < half {
        let other = best[index + half];
        let row_there = best_row[index + half];
        if other > best[index] || (other == best[index] && row_there < best_row[index]) {
          best[index] = other;
          best_row[index] = row_there;
        }
      }
      workgroupBarrier();
    }
    let pivot = best_row[0];
    workgroupBarrier();
    if pivot != j {
      for (var k = index; k < N; k += 64u) {
        let v = lu[to + j * N + k];
        lu[to + j * N + k] = lu[to + pivot * N + k];
        lu[to + pivot * N + k] = v;
      }
      if index == 0u {
        let r = rows[outer * N + j];
        rows[outer * N + j] = rows[outer * N + pivot];
        rows[outer * N + pivot] = r;
        sign = -sign;
      }
    }
    storageBarrier();
    let diagonal = lu[to + j * N + j];
    let scale = select(1.0 / diagonal, ${T}(0), diagonal == 0.0);
    for (var i = j + 1u + index; i < N; i += 64u) {
      lu[to + i * N + j] *= scale;
    }
    storageBarrier();
    for (var i = j + 1u; i < N; i++) {
      let f = lu[to + i * N + j];
      for (var k = j + 1u + index; k < N; k += 64u) {
        lu[to + i * N + k] -= f * lu[to + j * N + k];
      }
    }
    storageBarrier();
  }
  if index == 0u {
    signs[outer] = sign;
  }
}
