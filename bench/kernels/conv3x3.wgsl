// SPDX-License-Identifier: Apache-2.0
// A 3x3 convolution, with zero around the image.
const width = 2048u;
const height = 1024u;
@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32, 9>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

fn pixel(x: i32, y: i32) -> f32 {
  if (x < 0 || y < 0 || x >= i32(width) || y >= i32(height)) { return 0.0; }
  return image[u32(y) * width + u32(x)];
}

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = vec2i(id.xy);
  var sum = 0.0;
  for (var dy = 0; dy < 3; dy++) {
    for (var dx = 0; dx < 3; dx++) {
      sum += weight[3 * dy + dx] * pixel(at.x + dx - 1, at.y + dy - 1);
    }
  }
  result[id.y * width + id.x] = sum;
}
