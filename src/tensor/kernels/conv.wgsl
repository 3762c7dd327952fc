// SPDX-License-Identifier: Apache-2.0
// conv: y[N, O, OH, OW] from x, which needs no border, and weights
// panels[groups][O / groups / WIDE][KH][KW][C / groups][WIDE]. Lanes run along the outputs of a
// group, so that x is read one number at a time and its strides do not matter; a workgroup has
// TALL pixels, numbered over the picture. Lanes past the outputs of a group multiply what is there,
// pixels past the picture are the last one; neither is stored. A barrier before what differs
// between invocations lets a compiler keep those of a workgroup together in the loop.
${DECLARE}
@compute @workgroup_size(${WIDE}, ${TALL})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let pixel = ${BLOCK} * ${TALL} + local.y;
  let panel = ${PANEL};
  let of_group = ${GROUP};
  let output = ${OUTPUT} * ${WIDE} + local.x;
  let place = ${PIXEL_READ};
  let start = ${START} + group.z * ${X_N} + of_group * ${X_GROUP}
              + place / ${OW} * ${X_DOWN} + place % ${OW} * ${X_RIGHT};
  let weights = panel * ${PANEL_SIZE} + local.x;
  var acc = ${T}(0);
  for (var ky = 0u; ky < ${KH}; ky++) {
    for (var kx = 0u; kx < ${KW}; kx++) {
      for (var c = 0u; c < ${C}; c++) {
        let v = ${T}(x_at(start + ky * ${TAP_DOWN} + kx * ${TAP_RIGHT} + c * ${X_C}));
        acc = ${FMA};
      }
    }
  }
  ${BARRIER}
  if pixel < ${OH} * ${OW} && output < ${OUTPUTS} {
    let o = of_group * ${OUTPUTS} + output;
    y[(group.z * ${O} + o) * (${OH} * ${OW}) + pixel] = finish(group.z, o, pixel, acc);
  }
}
