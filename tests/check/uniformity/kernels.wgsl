// Kernels as people write them.
enable subgroups;
struct Params { count : u32, stride : u32 }
@group(0) @binding(0) var<uniform> params : Params;
@group(0) @binding(1) var<storage> source : array<f32>;
@group(0) @binding(2) var<storage, read_write> result : array<f32>;
var<workgroup> partial : array<f32, 64>;
var<workgroup> total : f32;

// A tree of sums: the steps are the same for all, who adds is not.
@compute @workgroup_size(64)
fn reduce(@builtin(local_invocation_index) lane : u32,
          @builtin(workgroup_id) group : vec3u) {
  var sum = 0.0;
  for (var i = lane; i < params.count; i += 64) {
    sum += source[i];
  }
  partial[lane] = sum;
  workgroupBarrier();
  for (var step = 32u; step > 0; step /= 2) {
    if lane < step {
      partial[lane] += partial[lane + step];
    }
    workgroupBarrier();
  }
  if lane == 0 {
    result[group.x] = partial[0];
  }
}

// The guard that returns early is what a barrier does not bear.
@compute @workgroup_size(64)
fn guarded(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= params.count {
    return;
  }
  partial[id.x % 64] = source[id.x];
  workgroupBarrier();      // error workgroup_uniformity: 'workgroupBarrier'
  result[id.x] = partial[63 - id.x % 64];
}

// It is enough that all see the same guard.
@compute @workgroup_size(64)
fn guarded_by_group(@builtin(workgroup_id) group : vec3u,
                    @builtin(local_invocation_index) lane : u32) {
  if group.x * 64 >= params.count {
    return;
  }
  partial[lane] = source[lane];
  workgroupBarrier();
}

// One invocation finds out, all read it.
@compute @workgroup_size(64)
fn broadcast(@builtin(local_invocation_index) lane : u32) {
  if lane == 0 {
    total = source[0];
  }
  let limit = workgroupUniformLoad(&total);
  for (var i = 0.0; i < limit; i += 1.0) {
    workgroupBarrier();
  }
  if total > 1.0 {
    workgroupBarrier();    // error workgroup_uniformity: 'workgroupBarrier'
  }
}

// Iterating until a workgroup agrees through memory.
@compute @workgroup_size(64)
fn until_it_settles(@builtin(local_invocation_index) lane : u32) {
  loop {
    partial[lane] = source[lane];
    if lane == 0 {
      total = 1.0;
    }
    if workgroupUniformLoad(&total) > 0.5 {
      break;
    }
  }
}

// A barrier that is passed before some leave.
@compute @workgroup_size(64)
fn barrier_then_leave(@builtin(local_invocation_index) lane : u32) {
  for (var i = 0u; i < params.count; i++) {
    workgroupBarrier();    // error workgroup_uniformity: 'workgroupBarrier'
    if lane + i > 7 {
      break;
    }
  }
}
