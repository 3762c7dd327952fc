// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<uniform> m : mat4x4<f32>;
@group(0) @binding(1) var<storage, read> x : array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y : array<vec4<f32>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    y[id.x] = m * x[id.x];
}
