// SPDX-License-Identifier: Apache-2.0
// A matrix transposed by tiles of 16x16 in shared memory, so that both reading and writing
// go along rows.
const n = 2048u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {
  tile[l.y][l.x] = a[(w.y * 16u + l.y) * n + w.x * 16u + l.x];
  workgroupBarrier();
  b[(w.x * 16u + l.y) * n + w.y * 16u + l.x] = tile[l.x][l.y];
}
