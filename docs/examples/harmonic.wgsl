// SPDX-License-Identifier: Apache-2.0
// Sums 1 / (k k) in both precisions: near pi^2 / 6.
enable weft_f64;

@group(0) @binding(0) var<storage> terms : array<u32>;
@group(0) @binding(1) var<storage, read_write> single : array<f32>;
@group(0) @binding(2) var<storage, read_write> twice : array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) at : vec3u) {
  let i = at.x;
  if i >= arrayLength(&terms) { return; }
  var s = 0f;
  var t = 0lf;
  for (var k = 1u; k <= terms[i]; k++) {
    s += 1 / (f32(k) * f32(k));
    t += 1 / (f64(k) * f64(k));
  }
  single[i] = s;
  twice[i] = t;
}
