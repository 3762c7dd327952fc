// Some invocations return after the last barrier: they are not in the loops that follow.
// run: groups 2, in n = [0], in a = [0..31], out b = [5, 9, 5, 9, 5, 9, 5, 9, 5, 9, 5, 9, 5, 9, 5,
//   9, 5, 9, 5, 9, 5, 9, 5, 9, 5, 9, 5, 9, 5, 9], in b = [30*9]
// run: groups 1, in n = [1], in a = [0..31], out b = [30*5], in b = [30*9]

@group(0) @binding(0) var<uniform> n : u32;
@group(0) @binding(1) var<storage> a : array<u32>;
@group(0) @binding(2) var<storage, read_write> b : array<u32>;
var<workgroup> w : array<atomic<u32>, 4>;

@compute @workgroup_size(30)
fn main(@builtin(local_invocation_index) l : u32) {
  atomicStore(&w[2], 5);
  if n == 1 {
    workgroupBarrier();
  } else {
    workgroupBarrier();
    switch a[l] & 1 {
      case 0: {}
      default: { return; }
    }
  }
  for (var i = 0u; i < 2; i++) {
    b[l] = atomicLoad(&w[2]) + (a[l + i] - a[l] - i);
  }
}
