// SPDX-License-Identifier: Apache-2.0
struct List { count : u32, values : array<f32> }
@group(0) @binding(0) var<storage, read> list : List;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < list.count { y[id.x] = list.values[id.x] + f32(arrayLength(&list.values)); }
}
