// SPDX-License-Identifier: Apache-2.0
// The matrix of q4_matvec.wgsl times as many vectors as there are tokens: 16 rows and 8 of
// the vectors a workgroup, with the 8 sums of a row in registers.
enable f16;
const K = 2048u;        // columns
const N = 5632u;        // rows
const T = 128u;         // tokens
@group(0) @binding(0) var<storage, read> w: array<u32>;     // as in q4_matvec.wgsl
@group(0) @binding(1) var<storage, read> d: array<f16>;
@group(0) @binding(2) var<storage, read> x: array<u32>;     // blocks, 8, tokens
@group(0) @binding(3) var<storage, read> xs: array<vec2f>;  // blocks, tokens
@group(0) @binding(4) var<storage, read_write> y: array<f32>;   // tokens, rows

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) wg: vec3u) {
  let t0 = wg.x * 8u;
  let blocks = K / 32u;
  var sum: array<f32, 8>;
  for (var b = 0u; b < blocks; b++) {
    let scale = f32(d[(wg.y * blocks + b) * 16u + l]);
    var s: array<i32, 8>;
    for (var i = 0u; i < 4u; i++) {
      let q = w[((wg.y * blocks + b) * 4u + i) * 16u + l];
      let low = q & 0x0f0f0f0fu;
      let high = (q >> 4u) & 0x0f0f0f0fu;
      for (var t = 0u; t < 8u; t++) {
        s[t] += dot4I8Packed(low, x[(b * 8u + i) * T + t0 + t]);
        s[t] += dot4I8Packed(high, x[(b * 8u + 4u + i) * T + t0 + t]);
      }
    }
    for (var t = 0u; t < 8u; t++) {
      let v = xs[b * T + t0 + t];
      sum[t] = fma(fma(f32(s[t]), v.x, -v.y), scale, sum[t]);
    }
  }
  for (var t = 0u; t < 8u; t++) { y[(t0 + t) * N + wg.y * 16u + l] = sum[t]; }
}
