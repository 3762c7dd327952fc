// SPDX-License-Identifier: Apache-2.0
// qr: a[BATCH, M, N] = q r with orthogonal columns of q[M, K] and upper triangular r[K, N],
// K = min(M, N): y[BATCH] = q, then r. Householder reflections; vectors[BATCH, K, M] and
// work[BATCH, M, N] are temporary. One workgroup a matrix; each invocation owns whole columns while
// a reflection is applied.
${DECLARE}
const M = ${M};
const N = ${N};
const K = ${K};
var<workgroup> part : array<${T}, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.y * 65535u + group.x;
  if outer >= ${BATCH} {
    return;
  }
  let start = ${START} + ${BATCH_START};
  let w = outer * M * N;
  let v = outer * K * M;
  let q = outer * (M * K + K * N);
  let r = q + M * K;
  for (var i = 0u; i < M; i++) {
    for (var c = index; c < N; c += 64u) {
      work[w + i * N + c] = a_at(start + i * ${ROW} + c * ${COLUMN});
    }
  }
  storageBarrier();
  for (var j = 0u; j < K; j++) {
    var squares = ${T}(0);
    for (var i = j + index; i < M; i += 64u) {
      let x = work[w + i * N + j];
      vectors[v + j * M + i] = x;
      squares += x * x;
    }
    part[index] = squares;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half >>= 1u) {
      if index < half {
        part[index] += part[index + half];
      }
      workgroupBarrier();
    }
    let norm = sqrt(part[0]);
    let first = work[w + j * N + j];
    let alpha = select(-norm, norm, first < 0.0);
    // the vector x - alpha e, of length sqrt(2 norm (norm + |first|))
    let scale = select(inverseSqrt(norm * (norm + abs(first))), ${T}(0), norm == 0.0);
    storageBarrier();
    workgroupBarrier();
    if index == 0u {
      vectors[v + j * M + j] = first - alpha;
    }
    storageBarrier();
    for (var i = j + index; i < M; i += 64u) {
      vectors[v + j * M + i] *= scale;
    }
    storageBarrier();
    for (var c = j + index; c < N; c += 64u) {
      var dot = ${T}(0);
      for (var i = j; i < M; i++) {
        dot += vectors[v + j * M + i] * work[w + i * N + c];
      }
      for (var i = j; i < M; i++) {
        work[w + i * N + c] -= dot * vectors[v + j * M + i];
      }
    }
    storageBarrier();
  }
  for (var i = 0u; i < K; i++) {
    for (var c = index; c < N; c += 64u) {
      y[r + i * N + c] = select(work[w + i * N + c], ${T}(0), c < i);
    }
  }
  for (var c = index; c < K; c += 64u) {
    for (var i = 0u; i < M; i++) {
      y[q + i * K + c] = select(${T}(0), ${T}(1), i == c);
    }
    for (var back = 0u; back < K; back++) {
      let j = K - 1u - back;
      var dot = ${T}(0);
      for (var i = j; i < M; i++) {
        dot += vectors[v + j * M + i] * y[q + i * K + c];
      }
      for (var i = j; i < M; i++) {
        y[q + i * K + c] -= dot * vectors[v + j * M + i];
      }
    }
  }
}
