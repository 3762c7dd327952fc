// SPDX-License-Identifier: Apache-2.0
// x = cap * tanh(x / cap), in place.
struct Params { n : u32, cap : f32 }

@group(0) @binding(0) var<storage, read_write> x : array<f32>;
@group(0) @binding(1) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * 64u) { x[i] = p.cap * tanh(x[i] / p.cap); }
}
