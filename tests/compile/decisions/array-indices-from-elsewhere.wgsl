// An array that is also indexed by data, or by a loop whose trip count is not known, or by one
// with many iterations, stays in memory, and no loop is unrolled for it.
// weft compile --dump=vars --entry=data
// has: var .*sums
// has: loop
// weft compile --dump=vars --entry=unknown
// has: var .*sums
// has: loop
// weft compile --dump=vars --entry=many
// has: var .*sums
// has: loop
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage> at : array<u32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(64)
fn data(@builtin(global_invocation_id) id : vec3u) {
  var sums : array<f32, 4>;
  for (var i = 0u; i < 4; i++) { sums[i] = x[id.x * 4 + i]; }
  y[id.x] = sums[at[id.x] % 4];
}

@compute @workgroup_size(64)
fn unknown(@builtin(global_invocation_id) id : vec3u) {
  var sums : array<f32, 4>;
  for (var i = 0u; i < at[0]; i++) { sums[i % 4] += x[id.x * 4 + i]; }
  y[id.x] = sums[0] + sums[1];
}

@compute @workgroup_size(64)
fn many(@builtin(global_invocation_id) id : vec3u) {
  var sums : array<f32, 60>;
  for (var i = 0u; i < 60; i++) { sums[i] = x[id.x * 4 + i]; }
  y[id.x] = sums[0] + sums[59];
}
