// A product is fused with the sum that uses it, also if they are components of vectors that
// are only moved in between.
// weft compile --dump=llvm --entry=component --cpu=x86-64-v3 --lanes=8
// count 2: call <8 x float> @llvm.fma
// lacks: fadd
// A product that is computed for something else, too, is not, even if that is a component of a
// product of vectors.
// weft compile --dump=llvm --entry=twice --cpu=x86-64-v3 --lanes=8
// lacks: call <8 x float> @llvm.fma
// weft compile --dump=llvm --entry=twice_component --cpu=x86-64-v3 --lanes=8
// lacks: call <8 x float> @llvm.fma
// weft compile --dump=llvm --entry=other_component --cpu=x86-64-v3 --lanes=8
// count 1: call <8 x float> @llvm.fma
@group(0) @binding(0) var<storage> x : array<vec2f>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<storage, read_write> z : array<vec2f>;

@compute @workgroup_size(64)
fn component(@builtin(global_invocation_id) id : vec3u) {
  let a = x[id.x];
  z[id.x] = vec2f(a.x * a.x, a.x * a.y) + vec2f(a.y, a.x);
}

@compute @workgroup_size(64)
fn twice(@builtin(global_invocation_id) id : vec3u) {
  let a = x[id.x];
  let p = a.x * a.y;
  z[id.x] = vec2f(p, p + a.x);
}

@compute @workgroup_size(64)
fn twice_component(@builtin(global_invocation_id) id : vec3u) {
  let a = x[id.x];
  z[id.x] = vec2f(dot(a, a), a.x * a.x - a.y * a.y);
}

@compute @workgroup_size(64)
fn other_component(@builtin(global_invocation_id) id : vec3u) {
  let a = x[id.x];
  z[id.x] = vec2f(dot(a, a), a.x * a.x - a.y);
}
