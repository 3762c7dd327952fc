// SPDX-License-Identifier: Apache-2.0
// norm: (x - mean) / sqrt(variance + epsilon) over lines of N elements; without CENTER
// x / sqrt(mean(x^2) + epsilon). x any strides, y[OUTER, N]. One workgroup a line.
${DECLARE}
var<workgroup> part : array<${T}, ${WIDE}>;

@compute @workgroup_size(${WIDE})
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let outer = group.y * 32768u + group.x;
  if outer >= ${OUTER} {
    return;
  }
  let start = ${START} + ${OUTER_START};
  var mean = ${T}(0);
  if ${CENTER} {
    var sum = ${T}(0);
    for (var at = 0u; at < ${N}; at += ${WIDE}) {
      let k = at + index;
      if k < ${N} {
        sum += x_at(start + k * ${STEP});
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
    mean = part[0] / ${COUNT};
    workgroupBarrier();
  }
  var squares = ${T}(0);
  for (var at = 0u; at < ${N}; at += ${WIDE}) {
    let k = at + index;
    if k < ${N} {
      let v = x_at(start + k * ${STEP}) - mean;
      squares += v * v;
    }
  }
  part[index] = squares;
  workgroupBarrier();
  for (var half = ${HALF}; half > 0u; half >>= 1u) {
    if index < half {
      part[index] += part[index + half];
    }
    workgroupBarrier();
  }
  let scale = inverseSqrt(part[0] / ${COUNT} + ${EPSILON});
  for (var at = 0u; at < ${N}; at += ${WIDE}) {
    let k = at + index;
    if k < ${N} {
      y[outer * ${N} + k] = finish(outer, k, 0u, (x_at(start + k * ${STEP}) - mean) * scale);
    }
  }
}
