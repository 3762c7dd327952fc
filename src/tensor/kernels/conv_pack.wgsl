// SPDX-License-Identifier: Apache-2.0
// conv_pack: weights w[O, C, TAPS] of a convolution, any strides and type, as
// panels[groups][O / groups / WIDE][TAPS][C][WIDE]: lanes of the convolution run along O. Places
// past the outputs of a group are left as they are.
${DECLARE}
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let k = group.x * 16u + local.y;      // over C and taps, as the weights are stored
  let output = group.y * 16u + local.x; // inside a group
  if k < ${C} * ${TAPS} && output < ${OUTPUTS} {
    let channel = k / ${TAPS};
    let tap = k % ${TAPS};
    let panel = group.z * ${PANELS} + output / ${WIDE};
    let source = ${START} + (group.z * ${OUTPUTS} + output) * ${W_OUT} + channel * ${W_IN}
                 + tap / ${KW} * ${W_ROW} + tap % ${KW} * ${W_COLUMN};
    panels[((panel * ${TAPS} + tap) * ${C} + channel) * ${WIDE} + output % ${WIDE}] =
        ${T}(w_at(source));
  }
}
