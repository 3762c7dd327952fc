// SPDX-License-Identifier: Apache-2.0
enable weft_f64;
struct Params { shift : f64, n : u32 }
@group(0) @binding(0) var<storage, read> x : array<f64>;
@group(0) @binding(1) var<storage, read_write> y : array<f64>;
@group(0) @binding(2) var<storage, read> params : Params;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = sqrt(x[id.x]) + params.shift; }
}
