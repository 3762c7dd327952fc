// SPDX-License-Identifier: Apache-2.0
// x = x + a * scale (+ bias), by rows.
//
//   x      [rows][x_stride]     from x_first on, n elements
//   a      [rows][a_stride]     (with ADD 1)
//   bias   [n]                  (with BIAS 1)
struct Params { n : u32, x_stride : u32, x_first : u32, a_stride : u32, scale : f32 }

override ADD : u32 = 1;
override BIAS : u32 = 0;

@group(0) @binding(0) var<storage, read_write> x : array<f32>;
@group(0) @binding(1) var<storage, read> a : array<f32>;
@group(0) @binding(2) var<storage, read> bias : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  if (i >= p.n) { return; }
  let at = id.y * p.x_stride + p.x_first + i;
  var v = x[at];
  if (ADD != 0u) { v += a[id.y * p.a_stride + i] * p.scale; }
  if (BIAS != 0u) { v += bias[i]; }
  x[at] = v;
}
