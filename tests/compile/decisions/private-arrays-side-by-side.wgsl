// Lane groups go side by side also where each has private arrays in memory, as long as those fit
// the first cache together.
// weft compile --dump=llvm --entry=small --cpu=x86-64-v3 --lanes=8 --assume=inner
// count 4: load <8 x float>, .*!invariant.load
// weft compile --dump=llvm --entry=large --cpu=x86-64-v3 --lanes=8 --assume=inner
// count 1: load <8 x float>, .*!invariant.load
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage> n : array<u32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(32)
fn small(@builtin(global_invocation_id) id : vec3u) {
  var own : array<f32, 40>;
  for (var k = 0u; k < n[0]; k++) { own[n[k] % 40] += x[k * 32 + id.x]; }
  y[id.x] = own[n[1] % 40];
}

@compute @workgroup_size(32)
fn large(@builtin(global_invocation_id) id : vec3u) {
  var own : array<f32, 400>;
  for (var k = 0u; k < n[0]; k++) { own[n[k] % 400] += x[k * 32 + id.x]; }
  y[id.x] = own[n[1] % 400];
}
