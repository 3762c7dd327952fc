// SPDX-License-Identifier: Apache-2.0
// A matrix in 4 bits, 32 elements a block with a scale in f16 (Q4_0 of GGUF), times a vector
// in 8 bits. Blocks of 16 rows are interleaved: an invocation has a row.
enable f16;
const K = 2048u;        // columns
@group(0) @binding(0) var<storage, read> w: array<u32>;     // rows / 16, blocks, 4, 16: low, high nibbles
@group(0) @binding(1) var<storage, read> d: array<f16>;     // rows / 16, blocks, 16
@group(0) @binding(2) var<storage, read> x: array<u32>;     // blocks, 8: four bytes each
@group(0) @binding(3) var<storage, read> xs: array<vec2f>;  // blocks: scale, 8 * scale * sum of the bytes
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let g = id.x / 16u;
  let l = id.x % 16u;
  let blocks = K / 32u;
  var sum = 0.0;
  for (var b = 0u; b < blocks; b++) {
    var s = 0;
    for (var i = 0u; i < 4u; i++) {
      let q = w[((g * blocks + b) * 4u + i) * 16u + l];
      s += dot4I8Packed(q & 0x0f0f0f0fu, x[b * 8u + i]);
      s += dot4I8Packed((q >> 4u) & 0x0f0f0f0fu, x[b * 8u + 4u + i]);
    }
    sum += (f32(s) * xs[b].x - xs[b].y) * f32(d[(g * blocks + b) * 16u + l]);
  }
  y[id.x] = sum;
}
