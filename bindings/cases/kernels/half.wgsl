// SPDX-License-Identifier: Apache-2.0
enable f16;
@group(0) @binding(0) var<storage, read> x : array<f16>;
@group(0) @binding(1) var<storage, read_write> y : array<f16>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&x) { y[id.x] = x[id.x] * 2.0h + 0.5h; }
}
