// SPDX-License-Identifier: Apache-2.0
// Arithmetic in f32: 4 chains of vectors with 2 * 16 operations a round and invocation.
//
// out[i] : one number an invocation, so that nothing can be left out
override rounds : u32 = 64;

@group(0) @binding(0) var<storage, read_write> out : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let start = f32(id.x) * 1.0e-6;
    var a = vec4f(start, start + 0.1, start + 0.2, start + 0.3);
    var b = a + 0.4;
    var c = a + 0.5;
    var d = a + 0.6;
    let scale = vec4f(0.999);
    let shift = vec4f(0.001);
    for (var i = 0u; i < rounds; i++) {
        a = fma(a, scale, shift);
        b = fma(b, scale, shift);
        c = fma(c, scale, shift);
        d = fma(d, scale, shift);
    }
    let all = a + b + c + d;
    if id.x < arrayLength(&out) {
        out[id.x] = all.x + all.y + all.z + all.w;
    }
}
