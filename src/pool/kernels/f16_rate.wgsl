// SPDX-License-Identifier: Apache-2.0
// Arithmetic in f16: 4 chains of vectors with 2 * 16 operations a round and invocation.
//
// out[i] : one number an invocation
enable f16;

override rounds : u32 = 64;

@group(0) @binding(0) var<storage, read_write> out : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let start = f16(id.x % 64u) * 0.001h;
    var a = vec4h(start, start + 0.1h, start + 0.2h, start + 0.3h);
    var b = a + 0.4h;
    var c = a + 0.5h;
    var d = a + 0.6h;
    let scale = vec4h(0.99h);
    let shift = vec4h(0.01h);
    for (var i = 0u; i < rounds; i++) {
        a = fma(a, scale, shift);
        b = fma(b, scale, shift);
        c = fma(c, scale, shift);
        d = fma(d, scale, shift);
    }
    let all = a + b + c + d;
    if id.x < arrayLength(&out) {
        out[id.x] = f32(all.x + all.y + all.z + all.w);
    }
}
