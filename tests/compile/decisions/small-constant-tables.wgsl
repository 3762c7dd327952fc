// Lanes find words of a table of at most 32 constants by a permutation; with AVX2, of 16. Larger
// tables, and those in buffers, are read lane by lane.
// weft compile --dump=llvm --cpu=x86-64-v4 --entry=small
// has: permvar
// weft compile --dump=llvm --cpu=x86-64-v4 --entry=middle
// has: vpermi2var
// weft compile --dump=llvm --cpu=x86-64-v3 --entry=small
// has: avx2.permd
// weft compile --dump=llvm --cpu=x86-64-v3 --entry=middle
// lacks: perm
// weft compile --dump=llvm --cpu=x86-64-v4 --entry=large
// lacks: perm
// weft compile --dump=llvm --cpu=x86-64-v4 --entry=buffer
// lacks: perm
// weft compile --dump=llvm --cpu=x86-64-v2 --entry=small
// lacks: perm
const sixteen = array<f32, 16>(0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225);
const pair = array(sixteen, sixteen);
const four = array(pair, pair);
@group(0) @binding(0) var<storage> x : array<u32>;
@group(0) @binding(1) var<storage> t : array<f32, 16>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(64)
fn small(@builtin(global_invocation_id) id : vec3u) { y[id.x] = sixteen[x[id.x] & 15]; }

@compute @workgroup_size(64)
fn middle(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = pair[x[id.x] & 1][(x[id.x] >> 1) & 15];
}

@compute @workgroup_size(64)
fn large(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = four[x[id.x] & 1][(x[id.x] >> 1) & 1][(x[id.x] >> 2) & 15];
}

@compute @workgroup_size(64)
fn buffer(@builtin(global_invocation_id) id : vec3u) { y[id.x] = t[x[id.x] & 15]; }
