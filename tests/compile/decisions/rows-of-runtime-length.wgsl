// Row and column of a flat index, with the shape in a uniform. A dispatch proves that rows
// begin with lane groups, and that the last stride is 1: then accesses are vectors. Without
// that, lane groups test it, and have code for both cases.
// weft compile --dump=facts --assume=usual --lanes=16 --entry=permute
// has: udiv group
// lacks: udiv varying
// lacks: first
// weft compile --dump=facts --assume=inner --lanes=16 --entry=permute
// has: first group
// has: udiv varying
// weft compile --dump=quotients --assume=inner --lanes=1 --entry=permute
// lacks: first
// weft compile --dump=facts --assume=usual --lanes=16 --entry=strides
// count 2: load varying
// has: udiv group
// lacks: imul varying
// weft compile --dump=facts --assume=inner --lanes=16 --entry=strides
// has: ieq workgroup
// weft compile --dump=facts --assume=usual --lanes=16 --entry=far
// has: imul varying
// lacks: umax
// weft compile --dump=quotients --assume=inner --lanes=16 --entry=far
// lacks: ieq
// weft compile --dump=quotients --assume=usual --lanes=16 --entry=data
// lacks: first
// weft compile --dump=quotients --assume=usual --lanes=16 --entry=short
// lacks: first
// weft compile --dump=quotients --assume=usual --lanes=16 --entry=long
// has: first
struct Shape { n : vec3u, strides : vec3u }
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> s : Shape;

@compute @workgroup_size(64)
fn permute(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  let a = i / s.strides.x;
  let rest = i - a * s.strides.x;
  let b = rest / s.strides.y;
  let c = rest % s.strides.y;
  y[i] = x[(b * s.n.x + a) * s.n.z + c];
}

@compute @workgroup_size(64)
fn strides(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  let a = i / s.n.y;
  let b = i % s.n.y;
  y[i] = x[a * s.strides.x + b * s.strides.y] + x[b];
}

// Each lane has a row: its length is not 1.
@compute @workgroup_size(64)
fn far(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < s.n.x; k++) { sum += x[id.x * s.n.x + k]; }
  y[id.x] = sum;
}

// No access depends on the quotient.
@compute @workgroup_size(64)
fn data(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = f32(id.x / s.n.x);
}

// Rows end in every lane group.
@compute @workgroup_size(60)
fn short(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = x[id.x / 20 * 100 + id.x % 20];
}

@compute @workgroup_size(60)
fn long(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = x[id.x / 1000 * 2000 + id.x % 1000];
}
