// SPDX-License-Identifier: Apache-2.0
// The sum of each column, in parts of 256 rows so that many rows lose no digits.
//
//   x       [rows][dim]
//   sums    [dim]
//
// An invocation is a column.
struct Params { rows : u32, dim : u32 }

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> sums : array<f32>;
@group(0) @binding(2) var<uniform> p : Params;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let d = id.x;
  if (d >= p.dim) { return; }
  var total = 0.0;
  for (var r = 0u; r < p.rows; r += 256u) {
    let last = min(r + 256u, p.rows);
    var sum = 0.0;
    for (var i = r; i < last; i++) { sum += x[i * p.dim + d]; }
    total += sum;
  }
  sums[d] = total;
}
