// SPDX-License-Identifier: Apache-2.0
// scan_row: running sums (or products) along one axis, one workgroup a line.
// Each of 64 invocations scans a chunk of the line; then chunks start from what is before them.
${DECLARE}
const CHUNK = (${N} + 63u) / 64u;
var<workgroup> total : array<${T}, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let line = group.y * ${ROW} + group.x;
  if line >= ${LINES} {
    return;
  }
  let first = index * CHUNK;
  let last = min(first + CHUNK, ${N});
  let source = ${X_START};
  let to = ${Y_START};
  var sum = ${T}(${FIRST});
  for (var i = first; i < last; i++) {
    sum = sum ${OP} x_at(source + i * ${X_STEP});
  }
  total[index] = sum;
  workgroupBarrier();
  var acc = ${T}(${FIRST});
  for (var k = 0u; k < index; k++) {
    acc = acc ${OP} total[k];
  }
  for (var i = first; i < last; i++) {
    let next = acc ${OP} x_at(source + i * ${X_STEP});
    let at = to + i * ${Y_STEP};
    y[at] = finish(at, select(next, acc, ${EXCLUSIVE}));
    acc = next;
  }
}
