// SPDX-License-Identifier: Apache-2.0
struct Sizes { m : u32, k : u32, n : u32 }
@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> sizes : Sizes;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x >= sizes.n || id.y >= sizes.m { return; }
    var total = 0.0;
    for (var i = 0u; i < sizes.k; i++) {
        total += a[id.y * sizes.k + i] * b[i * sizes.n + id.x];
    }
    c[id.y * sizes.n + id.x] = total;
}
