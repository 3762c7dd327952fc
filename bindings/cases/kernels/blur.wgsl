// SPDX-License-Identifier: Apache-2.0
struct Size { width : i32, height : i32 }
@group(0) @binding(0) var<storage, read> image : array<i32>;
@group(0) @binding(1) var<storage, read_write> smooth_image : array<i32>;
@group(0) @binding(2) var<uniform> size : Size;

fn at(x : i32, y : i32) -> i32 {
    return image[clamp(y, 0, size.height - 1) * size.width + clamp(x, 0, size.width - 1)];
}

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let x = i32(id.x);
    let y = i32(id.y);
    if x >= size.width || y >= size.height { return; }
    var total = 0;
    for (var dy = -1; dy <= 1; dy++) {
        for (var dx = -1; dx <= 1; dx++) { total += at(x + dx, y + dy); }
    }
    smooth_image[y * size.width + x] = total / 9;
}
