// SPDX-License-Identifier: Apache-2.0
// matmul_tile: y[batch, M, N] = a[batch, M, K] x b[batch, K, N], any strides, for GPUs.
// A workgroup computes 64 x 64 elements, an invocation 4 x 4 of them; 16 columns of a and 16 rows
// of b at a time are in workgroup memory.
${DECLARE}
const K = ${K};
var<workgroup> a_tile : array<${T}, 1024>;    // [k][row]
var<workgroup> b_tile : array<${T}, 1024>;    // [k][column]

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u,
        @builtin(local_invocation_index) index : u32) {
  let batch = group.z;
  let first_row = group.y * 64u;
  let first_column = group.x * 64u;
  let a_start = ${A_START};
  let b_start = ${B_START};
  var acc : array<${T}, 16>;
  for (var first_k = 0u; first_k < K; first_k += 16u) {
    for (var i = index; i < 1024u; i += 256u) {
      let a_k = ${A_TILE_K};
      let a_row = ${A_TILE_ROW};
      var v = ${T}(0);
      if first_k + a_k < K && first_row + a_row < ${M} {
        v = ${T}(a_at(a_start + (first_row + a_row) * ${A_ROW} + (first_k + a_k) * ${A_COLUMN}));
      }
      a_tile[a_k * 64u + a_row] = v;
      let b_k = ${B_TILE_K};
      let b_column = ${B_TILE_COLUMN};
      var w = ${T}(0);
      if first_k + b_k < K && first_column + b_column < ${N} {
        w = ${T}(b_at(b_start + (first_k + b_k) * ${B_ROW}
                      + (first_column + b_column) * ${B_COLUMN}));
      }
      b_tile[b_k * 64u + b_column] = w;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      for (var r = 0u; r < 4u; r++) {
        let v = a_tile[k * 64u + local.y + r * 16u];
        for (var c = 0u; c < 4u; c++) {
          acc[r * 4u + c] += v * b_tile[k * 64u + local.x + c * 16u];
        }
      }
    }
    workgroupBarrier();
  }
  for (var r = 0u; r < 4u; r++) {
    for (var c = 0u; c < 4u; c++) {
      let row = first_row + local.y + r * 16u;
      let column = first_column + local.x + c * 16u;
      if row < ${M} && column < ${N} {
        y[(batch * ${M} + row) * ${N} + column] = finish(batch, row, column, acc[r * 4u + c]);
      }
    }
  }
}
