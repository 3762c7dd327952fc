// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var picture : texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(1)
fn main() {
    y[0] = textureLoad(picture, vec2u(0u, 0u), 0).x;
}
