// SPDX-License-Identifier: Apache-2.0
// sort_scan: where the elements of each digit and chunk go: the exclusive sums of
// counts[LINES, 256, CHUNKS], in place. One workgroup a line, one invocation a digit.
${DECLARE}
var<workgroup> sums : array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) digit : u32) {
  let line = group.y * 65535u + group.x;
  if line >= ${LINES} {
    return;
  }
  let start = (line * 256u + digit) * ${CHUNKS};
  var sum = 0u;
  for (var c = 0u; c < ${CHUNKS}; c++) {
    sum += counts[start + c];
  }
  sums[digit] = sum;
  workgroupBarrier();
  for (var apart = 1u; apart < 256u; apart <<= 1u) {
    var before = 0u;
    if digit >= apart {
      before = sums[digit - apart];
    }
    workgroupBarrier();
    sums[digit] += before;
    workgroupBarrier();
  }
  var at = sums[digit] - sum;
  for (var c = 0u; c < ${CHUNKS}; c++) {
    let n = counts[start + c];
    counts[start + c] = at;
    at += n;
  }
}
