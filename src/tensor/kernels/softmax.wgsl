// SPDX-License-Identifier: Apache-2.0
// softmax: exp(x - max) / sum(exp(x - max)) over lines of N elements, or its logarithm.
// x any strides, y[OUTER, N]. One workgroup a line: maximum, sum, result, each in one pass.
${DECLARE}
var<workgroup> part : array<${T}, ${WIDE}>;

@compute @workgroup_size(${WIDE})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.y * 32768u + group.x;
  if outer >= ${OUTER} {
    return;
  }
  let start = ${START} + ${OUTER_START};
  var most = x_at(start);
  for (var at = 0u; at < ${N}; at += ${WIDE}) {
    let k = min(at + index, ${N} - 1u);
    most = max_${T}(x_at(start + k * ${STEP}), most);
  }
  part[index] = most;
  workgroupBarrier();
  for (var half = ${HALF}; half > 0u; half >>= 1u) {
    if index < half {
      part[index] = max_${T}(part[index + half], part[index]);
    }
    workgroupBarrier();
  }
  most = part[0];
  workgroupBarrier();
  var sum = ${T}(0);
  for (var at = 0u; at < ${N}; at += ${WIDE}) {
    let k = at + index;
    if k < ${N} {
      sum += exp(x_at(start + k * ${STEP}) - most);
    }
  }
  part[index] = sum;
  workgroupBarrier();
  for (var half = ${HALF}; half > 0u; half >>= 1u) {
    if index < half {
      part[index] += part[index + half];
    }
    workgroupBarrier();
  }
  let total = part[0];
  let scale = 1.0 / total;
  for (var at = 0u; at < ${N}; at += ${WIDE}) {
    let k = at + index;
    if k < ${N} {
      let v = x_at(start + k * ${STEP}) - most;
      y[outer * ${N} + k] = finish(outer, k, 0u, ${LAST});
    }
  }
}
