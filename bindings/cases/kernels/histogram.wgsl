// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> values : array<u32>;
@group(0) @binding(1) var<storage, read_write> bins : array<atomic<u32>, 16>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&values) { atomicAdd(&bins[values[id.x] % 16u], 1u); }
}
