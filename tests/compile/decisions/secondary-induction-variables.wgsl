// What a loop counts beside the variable that it tests is written in terms of that one, if
// its step is a multiple: then both are bounded. Otherwise it stays a parameter.
// weft compile --dump=induction --entry=both
// count 1: loop .* \{ %\d+ f32 %\d+ i32$
// weft compile --dump=assume --assume=bounds --entry=both
// count 2: elem .*in_bounds
// weft compile --dump=induction --entry=down
// count 1: loop .* \{ %\d+ f32 %\d+ i32$
// weft compile --dump=induction --entry=uneven
// count 1: loop .* \{ %\d+ f32 %\d+ i32 %\d+ i32$
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> n : u32;

@compute @workgroup_size(64)
fn both(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  var at = 0u;
  for (var i = 0u; i < n; i++) {
    sum += x[at];
    at += 32;
  }
  y[id.x] = sum;
}

@compute @workgroup_size(64)
fn down(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  var at = id.x + 1000;
  for (var i = 4u; i < n; i += 2) {
    sum += x[at];
    at -= 6;
  }
  y[id.x] = sum;
}

@compute @workgroup_size(64)
fn uneven(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  var at = id.x;
  for (var i = 0u; i < n; i += 2) {
    sum += x[at];
    at += 3;
  }
  y[id.x] = sum;
}
