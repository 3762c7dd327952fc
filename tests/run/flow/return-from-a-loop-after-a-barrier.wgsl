// Whether a workgroup leaves a loop or the kernel is decided for all of it at once,
// when there are barriers.

// run: groups 2, in rounds = [0], out result = [7, 7, 7, 7, 7, 7, 7, 7, 7, 7]
// run: groups 2, in rounds = [1], out result = [10*0]
// run: groups 2, in rounds = [3], out result = [10*0]
@group(0) @binding(0) var<storage> rounds : array<u32>;
@group(0) @binding(1) var<storage, read_write> result : array<u32>;
var<workgroup> shared_sum : atomic<u32>;

@compute @workgroup_size(5)
fn main(@builtin(global_invocation_id) id : vec3u) {
  atomicAdd(&shared_sum, 1);
  workgroupBarrier();
  for (var i = 0u; i < rounds[0]; i += 2) {
    return;
  }
  result[id.x] = 2 + atomicLoad(&shared_sum);
}
