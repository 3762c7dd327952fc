// Lane groups that load the same far row in the next iteration of a loop prefetch it once; rows
// of their own each.
// weft compile --dump=llvm-opt --entry=same --cpu=x86-64-v3 --assume=inner
// count 2: call void @llvm.prefetch
// weft compile --dump=llvm-opt --entry=own --cpu=x86-64-v3 --assume=inner
// count 8: call void @llvm.prefetch
@group(0) @binding(0) var<storage> a : array<f32>;
@group(0) @binding(1) var<storage> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(32, 4)
fn same(@builtin(global_invocation_id) id : vec3u) {
  var s = 0.0;
  for (var k = 0u; k < 5000; k++) { s += a[id.y * 5000 + k] * b[k * 2048 + id.x]; }
  y[id.y * 2048 + id.x] = s;
}

@compute @workgroup_size(128)
fn own(@builtin(global_invocation_id) id : vec3u) {
  var s = 0.0;
  for (var k = 0u; k < 5000; k++) { s += a[k] * b[k * 2048 + id.x]; }
  y[id.x] = s;
}
