// SPDX-License-Identifier: Apache-2.0
// conv_direct: y[N, O, OH, OW] from x[N, C, H, W] and w[O, C / groups, KH, KW], any strides and
// type, for groups with few outputs (depthwise convolution). One invocation computes one element;
// lanes run along OW. Outside of the picture x is zero.
${DECLARE}
@compute @workgroup_size(${WIDE}, ${TALL})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_id) local : vec3u) {
  let column = group.x * ${WIDE} + local.x;
  let row = ${BLOCK} * ${TALL} + local.y;
  let o = group.z;
  let n = ${N_OF};
  if column < ${OW} && row < ${OH} {
    let start = ${START} + n * ${X_N} + o / ${OUTPUTS} * ${X_GROUP};
    var acc = ${T}(0);
    for (var c = 0u; c < ${C}; c++) {
      for (var ky = 0; ky < i32(${KH}); ky++) {
        for (var kx = 0; kx < i32(${KW}); kx++) {
          let down = i32(row * ${STRIDE_H}) + ky * i32(${DILATION_H}) - i32(${TOP});
          let right = i32(column * ${STRIDE_W}) + kx * i32(${DILATION_W}) - i32(${LEFT});
          if down >= 0 && down < i32(${H}) && right >= 0 && right < i32(${W}) {
            let v = x_at(start + c * ${X_C} + u32(down) * ${X_ROW} + u32(right) * ${X_COLUMN});
            let w_index = ${W_START} + o * ${W_OUT} + c * ${W_IN} + u32(ky) * ${W_ROW}
                          + u32(kx) * ${W_COLUMN};
            acc += ${T}(v) * ${T}(w_at(w_index));
          }
        }
      }
    }
    y[((n * ${O} + o) * ${OH} + row) * ${OW} + column] =
        finish(n, o, row * ${OW} + column, acc);
  }
}
