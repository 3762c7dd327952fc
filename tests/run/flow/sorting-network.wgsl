// Invocations exchange with partners i ^ d, those whose index is the lower one.
// run: groups 1, in a = [11, 48, 85, 21, 58, 95, 31, 68, 4, 41, 78, 14, 51, 88, 24, 61, 98,
//   34, 71, 7, 44, 81, 17, 54, 91, 27, 64, 0, 37, 74, 10, 47, 84, 20, 57, 94, 30, 67, 3, 40, 77,
//   13, 50, 87, 23, 60, 97, 33, 70, 6, 43, 80, 16, 53, 90, 26, 63, 100, 36, 73, 9, 46, 83, 19],
//   out b = [0, 3, 4, 6, 7, 9, 10, 11, 13, 14, 16, 17, 19, 20, 21, 23, 24, 26, 27, 30, 31, 33,
//   34, 36, 37, 40, 41, 43, 44, 46, 47, 48, 50, 51, 53, 54, 57, 58, 60, 61, 63, 64, 67, 68, 70,
//   71, 73, 74, 77, 78, 80, 81, 83, 84, 85, 87, 88, 90, 91, 94, 95, 97, 98, 100]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
var<workgroup> key : array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l : u32) {
  key[l] = a[l];
  workgroupBarrier();
  for (var run = 2u; run <= 64u; run *= 2u) {
    for (var apart = run / 2u; apart > 0u; apart /= 2u) {
      let other = l ^ apart;
      if other > l {
        let x = key[l];
        let y = key[other];
        if ((l & run) == 0u && x > y) || ((l & run) != 0u && x < y) {
          key[l] = y;
          key[other] = x;
        }
      }
      workgroupBarrier();
    }
  }
  b[l] = key[l];
}
