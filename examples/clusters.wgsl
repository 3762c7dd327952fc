// SPDX-License-Identifier: Apache-2.0
// Points in four dimensions around four centres, for `weft vectors` to find again.
@group(0) @binding(0) var<storage, read> noise : array<vec4f>;
@group(0) @binding(1) var<storage, read_write> points : array<vec4f>;

@compute @workgroup_size(64)
fn clusters(@builtin(global_invocation_id) id : vec3u) {
  if (id.x >= arrayLength(&points)) { return; }
  var centres = array(vec4f(3, 0, 1, 0), vec4f(0, 3, 0, 1), vec4f(-3, 0, 1, 2), vec4f(0, -3, 2, 0));
  points[id.x] = centres[id.x % 4u] + noise[id.x];
}
