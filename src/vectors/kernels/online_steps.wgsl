// SPDX-License-Identifier: Apache-2.0
// Online training of a group of rows, without touching the weights: which unit each row finds,
// and how much of each row goes into each unit.
//
//   gram    [rows][${GROUP}]    products of rows with the rows of their group
//   pace    [rows][2]           rate and radius at the time of a row
//   places  [2][stride]         of units on the grid
//   norms   [stride]            |w|^2
//   scores  [${GROUP}][stride]  x . w before the group; then the step of each unit towards the
//                               row; then the share of the row in the moved weights
//   keeps   [stride]            share of the old weights in the moved ones
//
// A step w + h (x - w) is linear in w, so that products with later rows follow it without w:
// x' . w + h (x' . x - x' . w). One workgroup does it all, as each row depends on the last; a
// lane has the same units throughout. The stride is a multiple of 64.
${GRID}

struct Params { grid : Grid, first : u32, rows : u32, units : u32, stride : u32 }

const FAR = 3.0e38;

@group(0) @binding(0) var<storage, read> gram : array<f32>;
@group(0) @binding(1) var<storage, read> pace : array<f32>;
@group(0) @binding(2) var<storage, read> places : array<f32>;
@group(0) @binding(3) var<storage, read_write> norms : array<f32>;
@group(0) @binding(4) var<storage, read_write> scores : array<f32>;
@group(0) @binding(5) var<storage, read_write> keeps : array<f32>;
@group(0) @binding(6) var<uniform> p : Params;

var<workgroup> near : array<f32, 64>;
var<workgroup> which : array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l : u32) {
  for (var i = 0u; i < p.rows; i++) {
    let row = p.first + i;
    var best = FAR;
    var at = 0u;
    for (var b = 0u; b < p.stride; b += 64u) {
      let unit = b + l;
      var s = scores[i * p.stride + unit];
      for (var k = 0u; k < i; k++) {
        let h = scores[k * p.stride + unit];
        s += h * (gram[row * ${GROUP}u + k] - s);
      }
      scores[i * p.stride + unit] = s;
      let d2 = select(FAR, norms[unit] - 2.0 * s, unit < p.units);
      at = select(at, unit, d2 < best);
      best = min(best, d2);
    }
    near[l] = best;
    which[l] = at;
    workgroupBarrier();
    if (l < 8u) {
      for (var k = l + 8u; k < 64u; k += 8u) {
        if (near[k] < near[l] || (near[k] == near[l] && which[k] < which[l])) {
          near[l] = near[k];
          which[l] = which[k];
        }
      }
    }
    workgroupBarrier();
    var winner = which[0];
    var least = near[0];
    for (var k = 1u; k < 8u; k++) {
      if (near[k] < least || (near[k] == least && which[k] < winner)) {
        least = near[k];
        winner = which[k];
      }
    }
    let centre = vec2f(places[winner], places[p.stride + winner]);
    let rate = pace[row * 2u];
    let radius = pace[row * 2u + 1u];
    let square = gram[row * ${GROUP}u + i];
    for (var b = 0u; b < p.stride; b += 64u) {
      let unit = b + l;
      let d2 = grid_distance2(p.grid, centre, vec2f(places[unit], places[p.stride + unit]));
      let step = rate * influence(p.grid, d2, radius);
      let h = select(0.0, step, step > 1e-6 && unit < p.units);
      let keep = 1.0 - h;
      let s = scores[i * p.stride + unit];
      norms[unit] = keep * keep * norms[unit] + 2.0 * h * keep * s + h * h * square;
      scores[i * p.stride + unit] = h;
    }
    workgroupBarrier();
  }
  for (var b = 0u; b < p.stride; b += 64u) {
    let unit = b + l;
    var keep = 1.0;
    for (var i = p.rows; i > 0u; i--) {
      let h = scores[(i - 1u) * p.stride + unit];
      scores[(i - 1u) * p.stride + unit] = h * keep;
      keep *= 1.0 - h;
    }
    keeps[unit] = keep;
  }
}
