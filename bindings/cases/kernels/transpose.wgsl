// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> rows : array<array<i32, 12>, 8>;
@group(0) @binding(1) var<storage, read_write> columns : array<array<i32, 8>, 12>;

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id : vec3u) {
    columns[id.x][id.y] = rows[id.y][id.x];
}
