// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> a : array<i32>;
@group(0) @binding(1) var<storage, read> b : array<i32>;
@group(0) @binding(2) var<storage, read_write> quotient : array<i32>;
@group(0) @binding(3) var<storage, read_write> rest : array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    quotient[id.x] = a[id.x] / b[id.x];
    rest[id.x] = a[id.x] % b[id.x];
}
