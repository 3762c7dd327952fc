// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }
}
