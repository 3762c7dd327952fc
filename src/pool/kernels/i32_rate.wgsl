// SPDX-License-Identifier: Apache-2.0
// Arithmetic in u32: 4 chains of vectors with 2 * 16 operations a round and invocation.
//
// out[i] : one number an invocation
override rounds : u32 = 64;

@group(0) @binding(0) var<storage, read_write> out : array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    var a = vec4u(id.x, id.x + 1u, id.x + 2u, id.x + 3u);
    var b = a + 4u;
    var c = a + 8u;
    var d = a + 12u;
    for (var i = 0u; i < rounds; i++) {
        a = (a ^ d) + 1013904223u;
        b = (b + a) ^ vec4u(1664525u);
        c = (c ^ b) + 1013904223u;
        d = (d + c) ^ vec4u(1664525u);
    }
    let all = a ^ b ^ c ^ d;
    if id.x < arrayLength(&out) {
        out[id.x] = all.x ^ all.y ^ all.z ^ all.w;
    }
}
