// SPDX-License-Identifier: Apache-2.0
// A barrier that some of the invocations do not reach.
var<workgroup> sums : array<f32, 64>;
@group(0) @binding(0) var<storage, read_write> data : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i : u32) {
  sums[i] = data[i];
  let first = i == 0;
  if first {
    workgroupBarrier();
    data[0] = sums[63];
  }
}
