// SPDX-License-Identifier: Apache-2.0
// y = norm(x + add) of rows: the mean square (rms) or mean and variance (layer) over `n`
// elements, times a gain, plus a bias. The sum x + add is kept in x where RESIDUAL is 1.
//
//   x      [rows][x_stride]
//   add    [rows][add_stride]   (with RESIDUAL 1)
//   gain, bias [n]
//   y      [rows][y_stride]
//
// A workgroup is a row.
struct Params { n : u32, x_stride : u32, add_stride : u32, y_stride : u32, epsilon : f32 }

override RESIDUAL : u32 = 0;
override LAYER : u32 = 0;       // subtract the mean
override GAIN : u32 = 1;
override BIAS : u32 = 0;

@group(0) @binding(0) var<storage, read_write> x : array<f32>;
@group(0) @binding(1) var<storage, read> add : array<f32>;
@group(0) @binding(2) var<storage, read> gain : array<f32>;
@group(0) @binding(3) var<storage, read> bias : array<f32>;
@group(0) @binding(4) var<storage, read_write> y : array<f32>;
@group(0) @binding(5) var<uniform> p : Params;

var<workgroup> part : array<vec2f, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) l : u32) {
  let at = group.x * p.x_stride;
  let to = group.x * p.y_stride;
  var sum = vec2f(0.0);
  for (var i = l; i < p.n; i += 64u) {
    var v = x[at + i];
    if (RESIDUAL != 0u) {
      v += add[group.x * p.add_stride + i];
      x[at + i] = v;
    }
    sum += vec2f(v, v * v);
  }
  part[l] = sum;
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (l < s) { part[l] += part[l + s]; }
    workgroupBarrier();
  }
  let all = part[0] / f32(p.n);
  let mean = select(0.0, all.x, LAYER != 0u);
  workgroupBarrier();
  var square = 0.0;
  if (LAYER != 0u) {
    for (var i = l; i < p.n; i += 64u) { let v = x[at + i] - mean; square += v * v; }
  }
  part[l] = vec2f(square, 0.0);
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (l < s) { part[l] += part[l + s]; }
    workgroupBarrier();
  }
  let variance = select(all.y, part[0].x / f32(p.n), LAYER != 0u);
  let r = 1.0 / sqrt(variance + p.epsilon);
  for (var i = l; i < p.n; i += 64u) {
    var v = (x[at + i] - mean) * r;
    if (GAIN != 0u) { v *= gain[i]; }
    if (BIAS != 0u) { v += bias[i]; }
    y[to + i] = v;
  }
}
