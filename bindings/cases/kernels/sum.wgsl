// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> total : array<f32>;
var<workgroup> tile : array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_index) at : u32,
        @builtin(workgroup_id) group : vec3u) {
    tile[at] = x[id.x];
    workgroupBarrier();
    for (var step = 32u; step > 0u; step /= 2u) {
        if at < step { tile[at] += tile[at + step]; }
        workgroupBarrier();
    }
    if at == 0u { total[group.x] = tile[0]; }
}
