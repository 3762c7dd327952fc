// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read_write> y : array<u32, 1>;

@compute @workgroup_size(1)
fn main() {
    var a = y[0] + 1u;
    for (var i = 0u; i < 2000000000u; i++) { a = (a ^ i) * 1664525u + (a >> 3u); }
    y[0] = a;
}
