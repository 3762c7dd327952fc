// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> y : array<u32>;

@compute @workgroup_size(2, 2, 2)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u,
        @builtin(local_invocation_index) at : u32) {
    let size = groups * 2u;
    y[(id.z * size.y + id.y) * size.x + id.x] = at * 1000u + groups.x * 100u + groups.z;
}
