// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage, read> x : array<f32, 32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) at : u32) {
    var top = x[0];
    for (var i = 1u; i < 32u; i++) { top = max(top, x[i]); }
    var total = 0.0;
    for (var i = 0u; i < 32u; i++) { total += exp(x[i] - top); }
    y[at] = exp(x[at] - top) / total;
}
