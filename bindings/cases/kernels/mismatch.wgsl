// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(1)
fn main() {
    y[0] = 1u;
}
