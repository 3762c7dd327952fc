// Lanes that each read a row of 16-bit numbers in a loop take several rounds at once, two numbers
// a word. Not where they are written, and not where lanes are beside each other.
// weft compile --dump=llvm --entry=rows --cpu=x86-64-v3 --lanes=8 --assume=inner
// has: load <4 x i32>
// weft compile --dump=llvm --entry=written --cpu=x86-64-v3 --lanes=8 --assume=inner
// lacks: load <4 x i32>
// weft compile --dump=llvm --entry=columns --cpu=x86-64-v3 --lanes=8 --assume=inner
// lacks: load <4 x i32>
enable f16;
@group(0) @binding(0) var<storage> x : array<f16>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<storage, read_write> z : array<f16>;

@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < 1000; k++) { sum += f32(x[id.x * 1000 + k]); }
  y[id.x] = sum;
}

@compute @workgroup_size(64)
fn written(@builtin(global_invocation_id) id : vec3u) {
  for (var k = 0u; k < 1000; k++) { z[id.x * 1000 + k] = f16(k); }
}

@compute @workgroup_size(64)
fn columns(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < 1000; k++) { sum += f32(x[k * 64 + id.x]); }
  y[id.x] = sum;
}
