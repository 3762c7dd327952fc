// SPDX-License-Identifier: Apache-2.0
// Every invocation reads every body through shared memory: arithmetic-bound, with
// inverseSqrt.
const n = 8192u;
@group(0) @binding(0) var<storage, read> body: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> accel: array<vec4f>;
var<workgroup> tile: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  let me = body[id.x].xyz;
  var acc = vec3f(0.0);
  for (var t = 0u; t < n; t += 256u) {
    tile[l] = body[t + l];
    workgroupBarrier();
    for (var k = 0u; k < 256u; k++) {
      let d = tile[k].xyz - me;
      let r = inverseSqrt(dot(d, d) + 0.01);
      acc += d * (r * r * r);
    }
    workgroupBarrier();
  }
  accel[id.x] = vec4f(acc, 0.0);
}
