// SPDX-License-Identifier: Apache-2.0
struct Record { id : u32, weight : f32 }
@group(0) @binding(0) var<storage, read> records : array<Record>;
@group(0) @binding(1) var<storage, read_write> doubled : array<Record>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let r = records[id.x];
    doubled[id.x] = Record(r.id + 100u, r.weight * 2.0);
}
