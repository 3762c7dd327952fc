// SPDX-License-Identifier: Apache-2.0
// bias = -|w|^2 / 2 of each unit, for `best`.
//
//   weights [blocks][dim][16]
//   bias    [blocks][16]        NOTHING beyond the last unit
//
// A workgroup is a block.
struct Params { dim : u32, units : u32, width : u32 }

const NOTHING = -3.0e38;

@group(0) @binding(0) var<storage, read> weights : array<f32>;
@group(0) @binding(1) var<storage, read_write> bias : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let block = group.x + group.y * p.width;
  var sum = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let w = weights[(block * p.dim + d) * 16u + l];
    sum += w * w;
  }
  bias[block * 16u + l] = select(NOTHING, -0.5 * sum, block * 16u + l < p.units);
}
