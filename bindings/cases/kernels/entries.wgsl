// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> v : array<u32>;

@compute @workgroup_size(8)
fn first(@builtin(global_invocation_id) id : vec3u) { v[id.x] = 1u; }

@compute @workgroup_size(8)
fn second(@builtin(global_invocation_id) id : vec3u) { v[id.x] = id.x * id.x; }
