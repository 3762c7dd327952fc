// SPDX-License-Identifier: Apache-2.0
// Checks rows and finds the factor that scales each to length 1.
//
//   x       [rows][dim]
//   scale   [rows]      1 unless NORMALISE
//   fault   [rows]      0: none, 1: not finite, 2: above LARGEST, 3: no direction
//
// An invocation is a row. Exponents are tested as bits: arithmetic may assume finite numbers.
struct Params { rows : u32, dim : u32 }

override NORMALISE : u32 = 0;
const LARGEST = 1e15;
const SMALLEST = 1e-15;

@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> scale : array<f32>;
@group(0) @binding(2) var<storage, read_write> fault : array<u32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let row = id.x;
  if (row >= p.rows) { return; }
  var bad = false;
  var largest = 0.0;
  var squares = 0.0;
  for (var d = 0u; d < p.dim; d++) {
    let v = x[row * p.dim + d];
    let finite = (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u;
    bad = bad || !finite;
    let a = select(0.0, abs(v), finite);
    largest = max(largest, a);
    squares += a * a;
  }
  var f = select(0u, 1u, bad);
  if (!bad && largest > LARGEST) { f = 2u; }
  if (NORMALISE != 0u && f == 0u && largest < SMALLEST) { f = 3u; }
  fault[row] = f;
  scale[row] = select(1.0, 1.0 / sqrt(squares), NORMALISE != 0u && f == 0u);
}
