// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<i32>;
@group(0) @binding(1) var<storage, read_write> largest : atomic<i32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    atomicMax(&largest, x[id.x]);
}
