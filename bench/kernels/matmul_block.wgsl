// SPDX-License-Identifier: Apache-2.0
// The matrix product in registers and shared memory: as matmul_strip, but a workgroup makes
// 64 rows of 16 columns and keeps 128 rows of these columns of b at hand.
const n = 512u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> near: array<f32, 128 * 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let x = w.y * 16u + l.x;
  let y = (w.x * 16u + l.y) * 4u * n;
  var sum = vec4f(0.0);
  for (var t = 0u; t < n; t += 128u) {
    for (var k = l.y; k < 128u; k += 16u) { near[k * 16u + l.x] = b[(t + k) * n + x]; }
    workgroupBarrier();
    for (var k = 0u; k < 128u; k++) {
      let i = y + t + k;
      sum += vec4f(a[i], a[i + n], a[i + 2u * n], a[i + 3u * n]) * near[k * 16u + l.x];
    }
    workgroupBarrier();
  }
  c[y + x] = sum.x;
  c[y + n + x] = sum.y;
  c[y + 2u * n + x] = sum.z;
  c[y + 3u * n + x] = sum.w;
}
