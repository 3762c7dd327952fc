// SPDX-License-Identifier: Apache-2.0
// scan: running sums (or products) along one axis, one invocation a line.
// x any strides, y contiguous; X_STEP and Y_STEP walk along the axis, backwards if reversed.
${DECLARE}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let line = id.y * ${ROW} + id.x;
  if line < ${LINES} {
    var source = ${X_START};
    var to = ${Y_START};
    var acc = ${T}(${FIRST});
    for (var i = 0u; i < ${N}; i++) {
      let next = acc ${OP} x_at(source);
      y[to] = finish(to, select(next, acc, ${EXCLUSIVE}));
      acc = next;
      source += ${X_STEP};
      to += ${Y_STEP};
    }
  }
}
