// SPDX-License-Identifier: Apache-2.0
struct Params { a : f32, n : u32 }
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> params : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = params.a * x[id.x] + y[id.x]; }
}
