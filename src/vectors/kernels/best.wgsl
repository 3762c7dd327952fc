// SPDX-License-Identifier: Apache-2.0
// The nearest and the second nearest unit of each row: the largest x . w - |w|^2 / 2.
//
//   x       [rows, rounded up to the tile][dim]
//   units   [blocks][dim][16]
//   bias    [blocks][16]        -|w|^2 / 2; NOTHING beyond the last unit
//   nearest [rows][2]
//
// A workgroup is a tile of rows; a lane has every sixteenth unit. A unit's weights are read
// once for all rows of the tile.
struct Params { rows : u32, dim : u32, blocks : u32, width : u32 }

const NOTHING = -3.0e38;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> units : array<f32>;
@group(0) @binding(2) var<storage, read> bias : array<f32>;
@group(0) @binding(3) var<storage, read_write> nearest : array<u32>;
@group(0) @binding(4) var<uniform> p : Params;

var<workgroup> score : array<vec2f, ${LANES}>;
var<workgroup> index : array<vec2u, ${LANES}>;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let tile = (group.x + group.y * p.width) * ${TILE}u;
  let x#t = (tile + #tu) * p.dim;
  var best#t = vec2f(NOTHING);
  var at#t = vec2u(0u);
  for (var b = 0u; b < p.blocks; b++) {
    let unit = b * 16u + l;
    let start = b * p.dim * 16u + l;
    let start_sum = bias[unit];
    var s#t = start_sum;
    for (var d = 0u; d < p.dim; d++) {
      let w = units[start + d * 16u];
      s#t += w * x[x#t + d];
    }
    let first#t = s#t > best#t.x;
    let second#t = s#t > best#t.y;
    at#t = select(vec2u(at#t.x, select(at#t.y, unit, second#t)), vec2u(unit, at#t.x), first#t);
    best#t = select(vec2f(best#t.x, max(best#t.y, s#t)), vec2f(s#t, best#t.x), first#t);
  }
  score[#tu * 16u + l] = best#t;
  index[#tu * 16u + l] = at#t;
  workgroupBarrier();
  if (l < ${TILE}u && tile + l < p.rows) {
    var b = vec2f(NOTHING);
    var at = vec2u(0u);
    for (var i = 0u; i < 16u; i++) {
      let s = score[l * 16u + i];
      let u = index[l * 16u + i];
      if (s.x > b.x || (s.x == b.x && u.x < at.x)) {
        at = vec2u(u.x, select(at.x, u.y, s.y > b.x));
        b = vec2f(s.x, max(b.x, s.y));
      } else if (s.x > b.y) {
        b.y = s.x;
        at.y = u.x;
      }
    }
    nearest[(tile + l) * 2u] = at.x;
    nearest[(tile + l) * 2u + 1u] = at.y;
  }
}
