// SPDX-License-Identifier: Apache-2.0
// Functions: 8 a round and invocation, exponentials and sines in turn.
//
// out[i] : one number an invocation
override rounds : u32 = 16;

@group(0) @binding(0) var<storage, read_write> out : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    var a = vec4f(vec4u(id.x, id.x + 1u, id.x + 2u, id.x + 3u)) * 1.0e-6;
    for (var i = 0u; i < rounds; i++) {
        a = exp(-a);
        a = sin(a);
    }
    if id.x < arrayLength(&out) {
        out[id.x] = a.x + a.y + a.z + a.w;
    }
}
