// SPDX-License-Identifier: Apache-2.0
// The matrix product in registers: each invocation makes four rows of one column, so a row
// of b, once loaded, serves four of a. What is needed of a is the same for all invocations
// of a workgroup, and workgroups that follow each other share columns of b.
const n = 512u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let x = w.y * 32u + l;
  let y = w.x * 4u * n;
  var sum = vec4f(0.0);
  for (var k = 0u; k < n; k++) {
    sum += vec4f(a[y + k], a[y + n + k], a[y + 2u * n + k], a[y + 3u * n + k]) * b[k * n + x];
  }
  c[y + x] = sum.x;
  c[y + n + x] = sum.y;
  c[y + 2u * n + x] = sum.z;
  c[y + 3u * n + x] = sum.w;
}
