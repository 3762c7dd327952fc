// Atomics whose results are not used are added up by each thread, if they are all that a kernel
// does with a variable: as vectors for a place that is known, otherwise in a copy.
// weft compile --dump=llvm --entry=known --lanes=8
// has: %sum = alloca
// count 1: atomicrmw
// weft compile --dump=llvm --entry=binned --lanes=8
// has: %copied = 
// Not if a result is used, if the variable is read, or if there are several operations.
// weft compile --dump=llvm --entry=used --lanes=8
// lacks: %sum = |%copied = 
// weft compile --dump=llvm --entry=seen --lanes=8
// lacks: %sum = |%copied = 
// weft compile --dump=llvm --entry=several --lanes=8
// lacks: %sum = |%copied = 
// Lanes whose places are beside each other take one step in memory of the workgroup.
// weft compile --dump=llvm --entry=beside --lanes=8
// has: load <8 x i32>
@group(0) @binding(0) var<storage> x : array<u32>;
@group(0) @binding(1) var<storage, read_write> n : atomic<u32>;
@group(0) @binding(2) var<storage, read_write> bins : array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> y : array<u32>;
var<workgroup> t : array<atomic<u32>, 64>;

@compute @workgroup_size(64)
fn known(@builtin(global_invocation_id) id : vec3u) {
  atomicAdd(&n, x[id.x]);
}

@compute @workgroup_size(64)
fn binned(@builtin(global_invocation_id) id : vec3u) {
  atomicAdd(&bins[x[id.x]], 1u);
}

@compute @workgroup_size(64)
fn used(@builtin(global_invocation_id) id : vec3u) {
  y[atomicAdd(&n, 1u)] = atomicAdd(&bins[x[id.x]], 1u);
}

@compute @workgroup_size(64)
fn seen(@builtin(global_invocation_id) id : vec3u) {
  atomicAdd(&bins[x[id.x]], 1u);
  y[id.x] = atomicLoad(&bins[0]);
}

@compute @workgroup_size(64)
fn several(@builtin(global_invocation_id) id : vec3u) {
  atomicAdd(&bins[x[id.x]], 1u);
  atomicMax(&bins[0], x[id.x]);
}

@compute @workgroup_size(64)
fn beside(@builtin(local_invocation_index) l : u32, @builtin(workgroup_id) w : vec3u) {
  atomicAdd(&t[l], x[w.x]);
  workgroupBarrier();
  y[l] = atomicLoad(&t[63 - l]);
}
