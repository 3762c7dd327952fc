// SPDX-License-Identifier: Apache-2.0
// softmax: y = exp(x - max) / sum(exp(x - max)) of each row. A workgroup is a row.
//
//   x, y [rows, width]                  groups rows (at most 65,535)
struct Sizes { rows : u32, width : u32 }

override WIDE : u32 = 256;              // a power of two

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> size : Sizes;

var<workgroup> part : array<f32, WIDE>;

@compute @workgroup_size(WIDE)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let row = group.x * size.width;
  var most = -3.4e38;
  for (var i = lane; i < size.width; i += WIDE) {
    most = max(most, x[row + i]);
  }
  part[lane] = most;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] = max(part[lane], part[lane + half]);
    }
    workgroupBarrier();
  }
  most = part[0];
  workgroupBarrier();

  var sum = 0.0;
  for (var i = lane; i < size.width; i += WIDE) {
    sum += exp(x[row + i] - most);
  }
  part[lane] = sum;
  workgroupBarrier();
  for (var half = WIDE / 2u; half > 0u; half /= 2u) {
    if lane < half {
      part[lane] += part[lane + half];
    }
    workgroupBarrier();
  }
  sum = part[0];
  for (var i = lane; i < size.width; i += WIDE) {
    y[row + i] = exp(x[row + i] - most) / sum;
  }
}
