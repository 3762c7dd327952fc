// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> y : array<u32>;
@group(0) @binding(1) var<storage, read_write> scratch : array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    y[id.x] += id.x + scratch[id.x];
    scratch[id.x] = 77u;
}
