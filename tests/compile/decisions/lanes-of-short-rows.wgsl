// Rows that do not fill a vector register: lanes are as many as lie in one row, if that makes
// memory easier to get at. Not where it does not, not where loops only compute, and without
// loops not where much is computed.
// weft compile --dump=facts --cpu=x86-64-v4 --entry=cut
// has: lanes 8
// weft compile --dump=facts --cpu=x86-64-v4 --entry=twelve
// has: lanes 4
// weft compile --dump=facts --cpu=x86-64-v4 --entry=flat
// has: lanes 16
// weft compile --dump=facts --cpu=x86-64-v4 --entry=computes
// has: lanes 16
// weft compile --dump=facts --cpu=x86-64-v4 --entry=gradient --assume=inner
// has: lanes 8
// weft compile --dump=facts --cpu=x86-64-v4 --entry=functions --assume=inner
// has: lanes 16
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage> w : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> n : u32;

// Lanes along 8 columns; the row is cut out of the id.
@compute @workgroup_size(256)
fn cut(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < n; k++) { sum += x[id.x / 8 * n + k] * w[k * 8 + id.x % 8]; }
  y[id.x] = sum;
}

@compute @workgroup_size(12, 12)
fn twelve(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < n; k++) { sum += x[id.y * n + k] * w[k * 12 + id.x]; }
  y[id.y * 12 + id.x] = sum;
}

// Neighbours are neighbours whatever is cut.
@compute @workgroup_size(48)
fn flat(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < n; k++) { sum += x[id.x + k * n]; }
  y[id.x] = sum * f32(id.x % 8);
}

@compute @workgroup_size(12, 12)
fn computes(@builtin(global_invocation_id) id : vec3u) {
  var sum = f32(id.x);
  for (var k = 0u; k < n; k++) { sum = sum * sum + f32(id.y); }
  y[id.y * 12 + id.x] = sum;
}

@compute @workgroup_size(8, 8)
fn gradient(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 1024 + id.x;
  y[i] = length(vec2f(x[i + 1] - x[i], x[i + 1024] - x[i]));
}

@compute @workgroup_size(8, 8)
fn functions(@builtin(global_invocation_id) id : vec3u) {
  let i = id.y * 1024 + id.x;
  y[i] = pow(sin(x[i]), 2.3) + pow(cos(x[i]), 1.2) * exp(x[i]) + tanh(x[i]);
}
