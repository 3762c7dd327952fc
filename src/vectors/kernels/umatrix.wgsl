// SPDX-License-Identifier: Apache-2.0
// The mean distance of each unit's weights to those of its neighbours.
//
//   weights [blocks][dim][16]
//   u       [units]
//
// An invocation is a unit.
${GRID}

struct Params { grid : Grid, dim : u32, units : u32 }

@group(0) @binding(0) var<storage, read> weights : array<f32>;
@group(0) @binding(1) var<storage, read_write> u : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

fn apart(a : u32, b : u32) -> f32 {
  let i = a / 16u * p.dim * 16u + a % 16u;
  let k = b / 16u * p.dim * 16u + b % 16u;
  var sum = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let e = weights[i + d * 16u] - weights[k + d * 16u];
    sum += e * e;
  }
  return sqrt(sum);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let unit = id.x;
  if (unit >= p.units) { return; }
  let here = grid_position(p.grid, unit);
  let reach = select(2.1, 1.1, p.grid.hexagonal != 0u);        // squared
  var sum = 0.0;
  var count = 0.0;
  for (var i = 0u; i < 9u; i++) {
    var x = i32(unit % p.grid.width) + i32(i % 3u) - 1;
    var y = i32(unit / p.grid.width) + i32(i / 3u) - 1;
    if (p.grid.toroidal != 0u) {
      x = (x + i32(p.grid.width)) % i32(p.grid.width);
      y = (y + i32(p.grid.height)) % i32(p.grid.height);
    }
    if (x < 0 || y < 0 || x >= i32(p.grid.width) || y >= i32(p.grid.height)) { continue; }
    let other = u32(y) * p.grid.width + u32(x);
    if (other != unit && grid_distance2(p.grid, here, grid_position(p.grid, other)) < reach) {
      sum += apart(unit, other);
      count += 1.0;
    }
  }
  u[unit] = sum / max(count, 1.0);
}
