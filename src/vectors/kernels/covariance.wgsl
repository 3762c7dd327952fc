// SPDX-License-Identifier: Apache-2.0
// Merges rows into a covariance: c = keep * c + weight * sum of x x' + shift * delta delta'.
//
//   x       [rows, with a tile to spare][dim]   without their mean
//   delta   [dim]                               the rows' mean less the mean so far
//   c       [dim][dim]
//
// A workgroup has 16 columns (x) of a tile of rows of c (y).
struct Params { rows : u32, dim : u32, keep : f32, weight : f32, shift : f32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> delta : array<f32>;
@group(0) @binding(2) var<storage, read_write> c : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let column = group.x * 16u + l;
  let tile = group.y * ${TILE}u;
  var all#t = 0.0;
  for (var r = 0u; r < p.rows; r += 256u) {
    let last = min(r + 256u, p.rows);
    var sum#t = 0.0;
    for (var i = r; i < last; i++) {
      let v = x[i * p.dim + column];
      sum#t += v * x[i * p.dim + tile + #tu];
    }
    all#t += sum#t;
  }
  if (column >= p.dim) { return; }
  let at#t = (tile + #tu) * p.dim + column;
  let moved#t = p.shift * delta[column] * delta[min(tile + #tu, p.dim - 1u)];
  if (tile + #tu < p.dim) { c[at#t] = p.keep * c[at#t] + p.weight * all#t + moved#t; }
}
