// SPDX-License-Identifier: Apache-2.0
// Every invocation reads every body through shared memory, in f64; a force without a root.
enable weft_f64;
alias real = f64;
const n = 4096u;
@group(0) @binding(0) var<storage, read> body: array<vec4<real>>;
@group(0) @binding(1) var<storage, read_write> accel: array<vec4<real>>;
var<workgroup> tile: array<vec4<real>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  let me = body[id.x].xyz;
  var acc = vec3<real>();
  for (var t = 0u; t < n; t += 256u) {
    tile[l] = body[t + l];
    workgroupBarrier();
    for (var k = 0u; k < 256u; k++) {
      let d = tile[k].xyz - me;
      let q = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, 0.01)));
      acc = fma(d, vec3<real>(1 / q), acc);
    }
    workgroupBarrier();
  }
  accel[id.x] = vec4<real>(acc, 0);
}
