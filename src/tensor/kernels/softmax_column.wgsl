// SPDX-License-Identifier: Apache-2.0
// softmax_column: softmax over an axis that is not the last, or over very short lines.
// x any strides, y[OUTER, N, INNER]. One invocation a line; lanes run along the inner axes.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.z * 32768u + group.y;
  let inner = group.x * 64u + index;
  if outer < ${OUTER} && inner < ${INNER} {
    let start = ${START} + ${OUTER_START} + ${INNER_START};
    var most = x_at(start);
    for (var k = 1u; k < ${N}; k++) {
      most = max_${T}(x_at(start + k * ${STEP}), most);
    }
    var total = ${T}(0);
    for (var k = 0u; k < ${N}; k++) {
      total += exp(x_at(start + k * ${STEP}) - most);
    }
    let scale = 1.0 / total;
    for (var k = 0u; k < ${N}; k++) {
      let v = x_at(start + k * ${STEP}) - most;
      y[(outer * ${N} + k) * ${INNER} + inner] = finish(outer, k, inner, ${LAST});
    }
  }
}
