// SPDX-License-Identifier: Apache-2.0
enable f16;
@group(0) @binding(0) var<storage, read> a : array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b : array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c : array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    c[id.x] = dot(a[id.x], b[id.x]);
}
