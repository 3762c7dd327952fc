// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> v : array<vec2<i32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&v) { v[id.x] += vec2<i32>(1, -1); }
}
