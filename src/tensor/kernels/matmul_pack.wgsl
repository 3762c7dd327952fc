// SPDX-License-Identifier: Apache-2.0
// matmul_pack: b[batch, K, N], any strides and type, as panels[batch][N / WIDE][K][WIDE] in the
// type of the product: rows of a panel are side by side, whatever the strides of b. Columns past
// N are left as they are.
${DECLARE}
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let batch = group.z;
  let k = group.${ALONG_K} * 16u + local.y;
  let column = group.${ALONG_N} * 16u + local.x;
  if k < ${K} && column < ${N} {
    let at = ((batch * ${PANELS} + column / ${WIDE}) * ${K} + k) * ${WIDE} + column % ${WIDE};
    panels[at] = ${T}(b_at(${B_START} + k * ${B_ROW} + column * ${B_COLUMN}));
  }
}
