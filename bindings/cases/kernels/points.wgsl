// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> points : array<vec3f>;
@group(0) @binding(1) var<uniform> shift : vec3f;
@group(0) @binding(2) var<storage, read_write> moved : array<vec3f>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&points) { moved[id.x] = points[id.x] * 2.0 + shift; }
}
