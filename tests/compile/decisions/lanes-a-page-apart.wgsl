// Lanes that each read a row in a loop, rows a multiple of a page apart, share a few lines of
// the cache: there are no more lanes than that, in one lane group at a time. Not for rows of
// other lengths, and not outside of loops.
// weft compile --dump=facts --cpu=x86-64-v4 --entry=pages
// has: lanes 8 jam 1
// weft compile --dump=facts --cpu=x86-64-v3 --entry=pages
// has: lanes 8
// weft compile --dump=facts --cpu=x86-64-v4 --entry=others
// lacks: lanes 8
// weft compile --dump=facts --cpu=x86-64-v4 --entry=once
// lacks: lanes 8
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(256)
fn pages(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < 2048; k++) { sum += x[id.x * 2048 + k]; }
  y[id.x] = sum;
}

@compute @workgroup_size(256)
fn others(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < 2000; k++) { sum += x[id.x * 2000 + k]; }
  y[id.x] = sum;
}

@compute @workgroup_size(256)
fn once(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = x[id.x * 2048 + 5];
}
