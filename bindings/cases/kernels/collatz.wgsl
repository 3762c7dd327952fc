// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<u32>;
@group(0) @binding(1) var<storage, read_write> steps : array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
    var n = x[id.x];
    var count = 0u;
    while n > 1u {
        n = select(n / 2u, 3u * n + 1u, n % 2u == 1u);
        count++;
    }
    steps[id.x] = count;
}
