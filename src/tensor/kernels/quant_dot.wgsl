// SPDX-License-Identifier: Apache-2.0
// quant_dot: a few vectors a[M, K], any strides, times transposed quantized weights w[N, K]:
// y[M, N]. One workgroup a row of the weights, which it reads once.
${DECLARE}
var<workgroup> part : array<f32, ${PARTS}>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let n = group.y * 65535u + group.x;
  if n >= ${N} {
    return;
  }
  var acc : array<f32, ${M}>;
  for (var at = 0u; at < ${K}; at += 64u) {
    let k = at + index;
    if k < ${K} {
      let v = ${VALUE};
      for (var m = 0u; m < ${M}; m++) {
        acc[m] += v * f32(a_at(${START} + m * ${A_ROW} + k * ${A_COLUMN}));
      }
    }
  }
  for (var m = 0u; m < ${M}; m++) {
    part[m * 64u + index] = acc[m];
  }
  workgroupBarrier();
  for (var half = 32u; half > 0u; half >>= 1u) {
    if index < half {
      for (var m = 0u; m < ${M}; m++) {
        part[m * 64u + index] += part[m * 64u + index + half];
      }
    }
    workgroupBarrier();
  }
  if index < ${M} {
    y[index * ${N} + n] = finish(0u, index, n, part[index * 64u]);
  }
}
