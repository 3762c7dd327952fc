// SPDX-License-Identifier: Apache-2.0
// The grid of a map: part of the kernels that need distances between units.
//
// Odd rows of a hexagonal grid are shifted by half a unit; rows are sqrt(3)/2 apart.
struct Grid {
  width : u32, height : u32,
  hexagonal : u32, toroidal : u32,
  bubble : u32,         // 1 up to the radius; else a bell
}

fn grid_position(g : Grid, unit : u32) -> vec2f {
  let x = f32(unit % g.width);
  let y = unit / g.width;
  if (g.hexagonal != 0u) {
    return vec2f(x + 0.5 * f32(y & 1u), f32(y) * 0.8660254);
  }
  return vec2f(x, f32(y));
}

fn grid_distance2(g : Grid, a : vec2f, b : vec2f) -> f32 {
  var d = abs(a - b);
  if (g.toroidal != 0u) {
    let height = f32(g.height) * select(1.0, 0.8660254, g.hexagonal != 0u);
    d = min(d, abs(vec2f(f32(g.width), height) - d));
  }
  return dot(d, d);
}

// How much a unit follows another at the squared distance d2.
fn influence(g : Grid, d2 : f32, radius : f32) -> f32 {
  if (g.bubble != 0u) {
    return select(0.0, 1.0, d2 <= radius * radius + 1e-4);
  }
  return exp(-0.5 * d2 / (radius * radius));
}
