// SPDX-License-Identifier: Apache-2.0
// quant_pack: quantized weights w[N, K] as panels[N / WIDE][K][WIDE] of f32, the layout of
// matmul_pack.
${DECLARE}
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let k = group.x * 16u + local.y;
  let n = group.y * 16u + local.x;
  if k < ${K} && n < ${N} {
    panels[(n / ${WIDE} * ${K} + k) * ${WIDE} + n % ${WIDE}] = ${VALUE};
  }
}
