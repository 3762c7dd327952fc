// Both ways of a condition store in the same place: sums of all before, by doubling.
// run: groups 1, in a = [3, 1, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0, 29,
//   27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
//   10, 8, 6, 4, 2, 0, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1], out b = [3, 4,
//   34, 62, 88, 112, 134, 154, 172, 188, 202, 214, 224, 232, 238, 242, 244, 244, 273, 300, 325,
//   348, 369, 388, 405, 420, 433, 444, 453, 460, 465, 468, 469, 499, 527, 553, 577, 599, 619,
//   637, 653, 667, 679, 689, 697, 703, 707, 709, 709, 738, 765, 790, 813, 834, 853, 870, 885,
//   898, 909, 918, 925, 930, 933, 934]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
var<workgroup> sums : array<u32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l : u32) {
  var to = 0u;
  sums[l] = a[l];
  workgroupBarrier();
  for (var apart = 1u; apart < 64u; apart *= 2u) {
    let at = to;
    to = 64u - to;
    if l >= apart {
      sums[to + l] = sums[at + l] + sums[at + l - apart];
    } else {
      sums[to + l] = sums[at + l];
    }
    workgroupBarrier();
  }
  b[l] = sums[to + l];
}
