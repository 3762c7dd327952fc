// SPDX-License-Identifier: Apache-2.0
//
// to[t] = sum of from[list[k]] for k in start[t] .. start[t + 1] - 1, from the left.
//
// from    [elements]      ${REAL}
// start   [targets + 1]   u32
// list    [entries]       u32, elements of `from`
// to      [targets]       ${REAL}
//
// Each target is summed by one invocation in the order of its list: the result does not depend
// on scheduling. Long lists are cut into pieces that are summed first, by the same kernel.
${ENABLE}

@group(0) @binding(0) var<storage, read> from_ : array<${REAL}>;
@group(0) @binding(1) var<storage, read> start : array<u32>;
@group(0) @binding(2) var<storage, read> list : array<u32>;
@group(0) @binding(3) var<storage, read_write> to : array<${REAL}>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
  let target_ = global_id.y * 2097152u + global_id.x;
  if target_ >= arrayLength(&to) {
    return;
  }
  var sum = ${REAL}(0);
  for (var k = start[target_]; k < start[target_ + 1u]; k++) {
    sum += from_[list[k]];
  }
  to[target_] = sum;
}
