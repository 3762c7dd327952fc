// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> v : array<u32, 128>;
var<workgroup> tile : array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) at : u32) {
    tile[at] = v[at];
    workgroupBarrier();
    for (var step = 1u; step < 128u; step *= 2u) {
        var add = 0u;
        if at >= step { add = tile[at - step]; }
        workgroupBarrier();
        tile[at] += add;
        workgroupBarrier();
    }
    v[at] = tile[at];
}
