// SPDX-License-Identifier: Apache-2.0
// The matrix product in registers: each invocation makes 8 rows of one column. A row of
// b, once loaded, serves 8 rows of a; what is needed of a is the same for all
// invocations of a workgroup. Workgroups that follow each other share columns of b.
const n = 512u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let x = w.y * 32u + l;
  let y = w.x * 8u * n;
  var s0 = 0.0; var s1 = 0.0; var s2 = 0.0; var s3 = 0.0;
  var s4 = 0.0; var s5 = 0.0; var s6 = 0.0; var s7 = 0.0;
  for (var k = 0u; k < n; k++) {
    let v = b[k * n + x];
    s0 += a[y + k] * v;
    s1 += a[y + n + k] * v;
    s2 += a[y + 2u * n + k] * v;
    s3 += a[y + 3u * n + k] * v;
    s4 += a[y + 4u * n + k] * v;
    s5 += a[y + 5u * n + k] * v;
    s6 += a[y + 6u * n + k] * v;
    s7 += a[y + 7u * n + k] * v;
  }
  c[y + x] = s0;
  c[y + n + x] = s1;
  c[y + 2u * n + x] = s2;
  c[y + 3u * n + x] = s3;
  c[y + 4u * n + x] = s4;
  c[y + 5u * n + x] = s5;
  c[y + 6u * n + x] = s6;
  c[y + 7u * n + x] = s7;
}
