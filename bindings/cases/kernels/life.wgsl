// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> cells : array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> next : array<u32, 64>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    var count = 0u;
    for (var dy = 7u; dy <= 9u; dy++) {
        for (var dx = 7u; dx <= 9u; dx++) {
            count += cells[(id.y + dy) % 8u * 8u + (id.x + dx) % 8u];
        }
    }
    let here = cells[id.y * 8u + id.x];
    next[id.y * 8u + id.x] = select(0u, 1u, count == 3u || (here == 1u && count == 4u));
}
