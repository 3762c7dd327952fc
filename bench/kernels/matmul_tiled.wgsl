// SPDX-License-Identifier: Apache-2.0
// The shared-memory matrix product: 16x16 tiles with two barriers a tile.
const n = 512u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> ta: array<array<f32, 16>, 16>;
var<workgroup> tb: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {
  var sum = 0.0;
  for (var t = 0u; t < n; t += 16u) {
    ta[l.y][l.x] = a[id.y * n + t + l.x];
    tb[l.y][l.x] = b[(t + l.y) * n + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) { sum += ta[l.y][k] * tb[k][l.x]; }
    workgroupBarrier();
  }
  c[id.y * n + id.x] = sum;
}
