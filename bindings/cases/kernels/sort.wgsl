// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> v : array<u32, 64>;
var<workgroup> tile : array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) at : u32) {
    tile[at] = v[at];
    workgroupBarrier();
    for (var size = 2u; size <= 64u; size *= 2u) {
        for (var step = size / 2u; step > 0u; step /= 2u) {
            let other = at ^ step;
            let mine = tile[at];
            let its = tile[other];
            workgroupBarrier();
            let ascending = (at & size) == 0u;
            let lower = at < other;
            tile[at] = select(max(mine, its), min(mine, its), ascending == lower);
            workgroupBarrier();
        }
    }
    v[at] = tile[at];
}
