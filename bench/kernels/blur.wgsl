// SPDX-License-Identifier: Apache-2.0
// A Gaussian blur of an RGBA8 image in two passes; at the edges the outermost pixel counts
// for those beyond it.
const width = 2048u;
const height = 1024u;
@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> between: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
const weight = array<f32, 3>(0.375, 0.25, 0.0625);

fn at(x: i32, y: i32) -> u32 {
  let inside = clamp(vec2i(x, y), vec2i(0), vec2i(i32(width) - 1, i32(height) - 1));
  return u32(inside.y) * width + u32(inside.x);
}

@compute @workgroup_size(16, 16)
fn across(@builtin(global_invocation_id) id: vec3u) {
  let p = vec2i(id.xy);
  var sum = weight[0] * unpack4x8unorm(image[at(p.x, p.y)]);
  for (var d = 1; d < 3; d++) {
    sum += weight[d] * (unpack4x8unorm(image[at(p.x - d, p.y)])
                        + unpack4x8unorm(image[at(p.x + d, p.y)]));
  }
  between[id.y * width + id.x] = pack4x8unorm(sum);
}

@compute @workgroup_size(16, 16)
fn down(@builtin(global_invocation_id) id: vec3u) {
  let p = vec2i(id.xy);
  var sum = weight[0] * unpack4x8unorm(between[at(p.x, p.y)]);
  for (var d = 1; d < 3; d++) {
    sum += weight[d] * (unpack4x8unorm(between[at(p.x, p.y - d)])
                        + unpack4x8unorm(between[at(p.x, p.y + d)]));
  }
  result[id.y * width + id.x] = pack4x8unorm(sum);
}
