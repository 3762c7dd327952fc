// Every invocation of a workgroup, or none, comes to a barrier.
@group(0) @binding(0) var<storage> same : array<u32>;
@group(0) @binding(1) var<storage, read_write> shared_ : array<u32>;

fn in_uniform_flow() {
  workgroupBarrier();
  storageBarrier();
  textureBarrier();
  if same[0] > 1 {
    workgroupBarrier();
    storageBarrier();
    textureBarrier();
  }
}

fn not_in_uniform_flow() {
  if shared_[0] > 1 {
    workgroupBarrier();  // error workgroup_uniformity@5: 'workgroupBarrier' must be called in uniform control flow: all invocations of the workgroup have to come here together
    storageBarrier();    // error workgroup_uniformity: 'storageBarrier' must be called in uniform control flow
    textureBarrier();    // error workgroup_uniformity: 'textureBarrier' must be called in uniform control flow
  } else {
    workgroupBarrier();  // error workgroup_uniformity: 'workgroupBarrier'
  }
  workgroupBarrier();
}

// A function without callers is judged, too, as if called in uniform flow.
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane : u32) {
  if lane == 0 {
    storageBarrier();    // error workgroup_uniformity: 'storageBarrier'
  }
  storageBarrier();
}
