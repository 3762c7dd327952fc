// A kernel may take it for usual that signed numbers which it divides are not negative, if a
// dispatch can find out; numbers from data it cannot.
// weft compile --dump=assume --assume=usual --entry=shape
// has: udiv .* natural
// has: urem .* natural
// lacks: sdiv
// weft compile --dump=assume --assume=inner --entry=shape
// has: sdiv
// lacks: natural
// weft compile --dump=assume --assume=usual --entry=data
// has: sdiv
// lacks: natural
@group(0) @binding(0) var<storage, read_write> y : array<i32>;
@group(0) @binding(1) var<storage> x : array<i32>;
@group(0) @binding(2) var<uniform> width : i32;

@compute @workgroup_size(64)
fn shape(@builtin(global_invocation_id) id : vec3u) {
  let i = i32(id.x) + width;
  y[id.x] = i / width + i % 4;
}

@compute @workgroup_size(64)
fn data(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = x[id.x] / 3;
}
