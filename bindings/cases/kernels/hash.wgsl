// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> v : array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x >= arrayLength(&v) { return; }
    var h = v[id.x];
    h ^= h >> 16u;
    h *= 0x7feb352du;
    h ^= h >> 15u;
    h *= 0x846ca68bu;
    h ^= h >> 16u;
    v[id.x] = h;
}
