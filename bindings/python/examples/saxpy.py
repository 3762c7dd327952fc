# SPDX-License-Identifier: Apache-2.0
"""a x + y of a million numbers through one kernel; with NumPy if it is there."""
import array

import weft

WGSL = """
struct Params { a : f32, n : u32 }
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> params : Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = params.a * x[id.x] + y[id.x]; }
}
"""

count = 1_000_000
x = array.array("f", range(count))
y = array.array("f", [1]) * count
result = weft.execute(WGSL, {"x": x, "y": y, "params.a": 2, "params.n": count}, {"y": y})
print(f"y[10] = {y[10]}, y[{count - 1}] = {y[count - 1]}")
print(f"on {result.report.device}")
