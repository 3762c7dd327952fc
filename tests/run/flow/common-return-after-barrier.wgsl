// A loop that some leave early, and that all may leave by a common decision, after the
// last barrier.
// run: groups 1, in a = [0], out b = [0..11]
// run: groups 1, in a = [1], out b = [0, 11*0]

@group(0) @binding(0) var<storage, read_write> b : array<u32>;
@group(0) @binding(1) var<storage> a : array<u32>;
var<workgroup> w : array<u32, 12>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) local : u32) {
  w[local] = local;
  workgroupBarrier();
  var n = 0u;
  for (var k = 0u; k < local; k++) {
    if a[0] == 1 { return; }
    n++;
  }
  b[local] = n;
}
