// SPDX-License-Identifier: Apache-2.0
override step : i32 = 1;
@id(7) override scale : i32 = 10;
@group(0) @binding(0) var<storage, read_write> v : array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    v[id.x] = v[id.x] * scale + step;
}
