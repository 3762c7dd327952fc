// Between two barriers, few invocations have something to do.
// run: entry sum, groups 1,
//   in a = [3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13, 20, 27, 5, 12, 19,
//     26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13,
//     20, 27, 5, 12, 19, 26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9],
//   out b = [877, 449, 152, 264, 134, 103, 72, 128, 67, 37, 36, 64, 63, 62, 32, 60, 48, 33, 18, 32,
//     46, 31, 16, 30, 44, 29, 14, 28, 42, 27, 12, 26, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7,
//     14, 21, 28, 6, 13, 20, 27, 5, 12, 19, 26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9]

// run: entry scan, groups 1,
//   in a = [3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13, 20, 27, 5, 12, 19,
//     26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13,
//     20, 27, 5, 12, 19, 26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9],
//   out b = [0, 3, 13, 30, 54, 56, 65, 81, 104, 105, 113, 128, 150, 150, 157, 171, 192, 220, 226,
//     239, 259, 286, 291, 303, 322, 348, 352, 363, 381, 406, 409, 419, 436, 460, 462, 471,
//     487, 510, 511, 519, 534, 556, 556, 563, 577, 598, 626, 632, 645, 665, 692, 697, 709,
//     728, 754, 758, 769, 787, 812, 815, 825, 842, 866, 868]

// run: entry some, groups 1,
//   in a = [3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13, 20, 27, 5, 12, 19,
//     26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28, 6, 13,
//     20, 27, 5, 12, 19, 26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9],
//   out b = [6, 121, 36, 151, 108, 9, 116, 23, 1, 108, 15, 22, 0, 7, 14, 21, 28, 6, 13, 20, 27, 5,
//     12, 19, 26, 4, 11, 18, 25, 3, 10, 17, 24, 2, 9, 16, 23, 1, 8, 15, 22, 0, 7, 14, 21, 28,
//     9, 13, 20, 27, 5, 12, 19, 28, 4, 11, 18, 25, 3, 10, 18, 24, 2, 151]

@group(0) @binding(0) var<storage> a : array<i32, 64>;
@group(0) @binding(1) var<storage, read_write> b : array<i32, 64>;
var<workgroup> t : array<i32, 64>;

@compute @workgroup_size(64)
fn sum(@builtin(local_invocation_index) l : u32) {
  t[l] = a[l];
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (l < s) { t[l] += t[l + s]; }
    workgroupBarrier();
  }
  b[l] = t[l];
}

@compute @workgroup_size(32)
fn scan(@builtin(local_invocation_index) l : u32) {
  t[2u * l] = a[2u * l];
  t[2u * l + 1u] = a[2u * l + 1u];
  var offset = 1u;
  for (var d = 32u; d > 0u; d /= 2u) {
    workgroupBarrier();
    if (l < d) { t[offset * (2u * l + 2u) - 1u] += t[offset * (2u * l + 1u) - 1u]; }
    offset *= 2u;
  }
  if (l == 0u) { t[63] = 0; }
  for (var d = 1u; d < 64u; d *= 2u) {
    offset /= 2u;
    workgroupBarrier();
    if (l < d) {
      let i = offset * (2u * l + 1u) - 1u;
      let j = offset * (2u * l + 2u) - 1u;
      let v = t[i];
      t[i] = t[j];
      t[j] += v;
    }
  }
  workgroupBarrier();
  b[2u * l] = t[2u * l];
  b[2u * l + 1u] = t[2u * l + 1u];
}

@compute @workgroup_size(64)
fn some(@builtin(local_invocation_index) l : u32) {
  let mine = a[l];
  t[l] = mine;
  workgroupBarrier();
  if (l < 5u) { t[l] = t[l] * 2 + i32(l); }
  workgroupBarrier();
  if (l <= 10u && mine % 2 == 0) { t[l] += 100; }
  workgroupBarrier();
  if (l == 3u) { t[63] = t[l]; }
  workgroupBarrier();
  if (l < 3u) { t[60u - 7u * l] += i32(l) + 1; }
  workgroupBarrier();
  b[l] = t[l];
}
