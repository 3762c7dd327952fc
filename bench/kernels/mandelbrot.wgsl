// SPDX-License-Identifier: Apache-2.0
// Escape-time fractal: a long data-dependent loop, the worst case for lanes that diverge.
const width = 1024u;
const height = 512u;
const limit = 256u;
@group(0) @binding(0) var<storage, read_write> count: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = vec2f(f32(id.x) / f32(width) * 3.5 - 2.5, f32(id.y) / f32(height) * 2.0 - 1.0);
  var z = vec2f(0.0);
  var i = 0u;
  loop {
    if (i >= limit || dot(z, z) > 4.0) { break; }
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    i++;
  }
  count[id.y * width + id.x] = i;
}
