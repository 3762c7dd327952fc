// SPDX-License-Identifier: Apache-2.0
// rmsnorm: y = x / sqrt(mean(x^2) + epsilon) * weight of each row. A workgroup is a row.
//
//   x, y [rows, width]   weight [width] groups rows (at most 65,535)
struct Sizes { rows : u32, width : u32, epsilon : f32 }

override WIDE : u32 = 256;              // a power of two

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> weight : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> size : Sizes;

var<workgroup> part : array<f32, WIDE>;

@compute @workgroup_size(WIDE)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let row = group.x * size.width;
  var squares = 0.0;
  for (var i = lane; i < size.width; i += WIDE) {
    squares += x[row + i] * x[row + i];
  }
  part[lane] = squares;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] += part[lane + half];
    }
    workgroupBarrier();
  }
  let scale = inverseSqrt(part[0] / f32(size.width) + size.epsilon);
  for (var i = lane; i < size.width; i += WIDE) {
    y[row + i] = x[row + i] * scale * weight[i];
  }
}
