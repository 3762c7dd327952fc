// SPDX-License-Identifier: Apache-2.0
enable weft_f64;
@group(0) @binding(0) var<storage, read> x : array<f64>;
@group(0) @binding(1) var<storage, read_write> y : array<f64>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&x) { y[id.x] = x[id.x] / f64(3.0) + f64(id.x); }
}
