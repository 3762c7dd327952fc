// SPDX-License-Identifier: Apache-2.0
// Memory: copies vectors.
//
// a, out : arrays of the same length; each invocation copies one element
@group(0) @binding(0) var<storage, read> a : array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out : array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&out) {
        out[id.x] = a[id.x];
    }
}
