// A loop that each invocation counts through on its own runs together as long as all of them
// go on; a condition that the workgroup shares may stand beside that of the counter. One that
// differs from invocation to invocation may not.
// weft compile --dump=peel --entry=sum
// count 2: loop
// weft compile --dump=facts --entry=sum --assume=usual --cpu=x86-64-v4
// has: jam 16
// weft compile --dump=peel --entry=own
// count 1: loop
struct Shape { rows : i32, size : i32 }
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> s : Shape;

@compute @workgroup_size(256)
fn sum(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) l : vec3u) {
  let row = i32(id.x) / 256;
  var sum = 0.0;
  for (var k = i32(l.x); k < s.size && row < s.rows; k += 256) { sum += x[row * s.size + k]; }
  y[id.x] = sum;
}

@compute @workgroup_size(256)
fn own(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) l : vec3u) {
  var sum = 0.0;
  for (var k = i32(l.x); k < s.size && i32(id.x) < s.rows; k += 256) { sum += x[k]; }
  y[id.x] = sum;
}
