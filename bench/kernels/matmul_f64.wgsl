// SPDX-License-Identifier: Apache-2.0
// The textbook matrix product in f64, where only fma() fuses.
enable weft_f64;
alias real = f64;
const n = 512u;
@group(0) @binding(0) var<storage, read> a: array<real>;
@group(0) @binding(1) var<storage, read> b: array<real>;
@group(0) @binding(2) var<storage, read_write> c: array<real>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = real(0);
  for (var k = 0u; k < n; k++) { sum = fma(a[id.y * n + k], b[k * n + id.x], sum); }
  c[id.y * n + id.x] = sum;
}
