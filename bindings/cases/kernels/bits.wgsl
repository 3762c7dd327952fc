// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let bits = bitcast<u32>(x[id.x]);
    y[id.x] = reverseBits(bits) + countOneBits(bits);
}
