// SPDX-License-Identifier: Apache-2.0
// Nothing but a launch: one store by one invocation.
//
// out[0] : becomes 1
@group(0) @binding(0) var<storage, read_write> out : array<u32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = 1u;
}
