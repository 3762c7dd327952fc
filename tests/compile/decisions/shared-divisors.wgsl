// Division of lanes by a constant, or by what the whole workgroup shares, multiplies by the
// reciprocal and corrects the result; not by a power of two, which is exact as it is, not by one
// that is nearly out of range, and not by what differs between lanes.
// weft compile --dump=llvm --entry=shares --cpu=x86-64-v3 --assume=inner
// lacks: fdiv <
// count 1: fdiv float 1.0
// weft compile --dump=llvm --entry=own --cpu=x86-64-v3 --assume=inner
// has: fdiv <
// lacks: fcmp one
// weft compile --dump=llvm --entry=constants --cpu=x86-64-v3 --assume=inner
// has: fdiv <
// lacks: fcmp one
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<uniform> u : vec4f;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(8)
fn shares(@builtin(global_invocation_id) id : vec3u) { y[id.x] = x[id.x] / 17.0 + x[id.x + 9] / u.x; }

@compute @workgroup_size(8)
fn own(@builtin(global_invocation_id) id : vec3u) { y[id.x] = x[id.x] / x[id.x + 8] + 1 / x[id.x]; }

@compute @workgroup_size(8)
fn constants(@builtin(global_invocation_id) id : vec3u) { y[id.x] = x[id.x] / 16.0 + x[id.x] / 3e38; }
