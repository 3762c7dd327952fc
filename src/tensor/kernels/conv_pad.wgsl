// SPDX-License-Identifier: Apache-2.0
// conv_pad: x[N, C, H, W], any strides and type, with a border of zeros: padded[N, C, PH, PW].
// One row of the copy a row of invocations, numbered over all pictures and channels.
${DECLARE}
@compute @workgroup_size(${WIDE}, ${TALL})
fn main(@builtin(global_invocation_id) id : vec3u) {
  let place = id.z * ${DEEP} + id.y;
  if id.x < ${PW} && place < ${ROWS} {
    let outer = place / ${PH};
    let row = place % ${PH} - ${TOP};
    let column = id.x - ${LEFT};
    var v = ${T}(0);
    if row < ${H} && column < ${W} {
      v = ${T}(x_at(${START} + ${PLANE_START} + row * ${X_ROW} + column * ${X_COLUMN}));
    }
    padded[place * ${PW} + id.x] = v;
  }
}
