// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&x) { y[id.x] = sin(x[id.x]) * exp(-x[id.x]) + sqrt(x[id.x]); }
}
