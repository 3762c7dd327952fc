// SPDX-License-Identifier: Apache-2.0
// A separable convolution of nine taps, rows and then columns, over an image that has a rim
// of four pixels all around.
const width = 2048u;
const height = 1024u;
const radius = 4u;
const taps = 2u * radius + 1u;
const pitch = width + 2u * radius;
@group(0) @binding(0) var<storage, read> image: array<f32>;         // pitch x (height + 8)
@group(0) @binding(1) var<storage, read_write> rowed: array<f32>;   // width x (height + 8)
@group(0) @binding(2) var<storage, read_write> result: array<f32>;  // width x height
const weight = array<f32, taps>(0.02, 0.06, 0.12, 0.18, 0.24, 0.18, 0.12, 0.06, 0.02);

@compute @workgroup_size(64, 4)
fn rows(@builtin(global_invocation_id) id: vec3u) {
  let first = id.y * pitch + id.x;
  var sum = 0.0;
  for (var k = 0u; k < taps; k++) { sum += weight[k] * image[first + k]; }
  rowed[id.y * width + id.x] = sum;
}

@compute @workgroup_size(64, 4)
fn columns(@builtin(global_invocation_id) id: vec3u) {
  let first = id.y * width + id.x;
  var sum = 0.0;
  for (var k = 0u; k < taps; k++) { sum += weight[k] * rowed[first + k * width]; }
  result[first] = sum;
}
