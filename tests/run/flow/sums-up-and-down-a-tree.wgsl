// Sums up a tree in workgroup memory and down again; the last block is not full.
// run: groups 2, in a = [46, 31, 41, 84, 73, 76, 61, 86, 39, 15, 57, 77, 49, 20, 59, 83, 8, 89,
//   30, 84, 22, 56, 26, 39, 46, 43, 78, 3, 47, 61, 88, 67, 32, 47, 51, 45, 61, 48, 89, 40, 15,
//   85, 58, 80, 48, 34, 25, 45, 55, 85, 13, 0, 22, 79, 85, 25, 21, 19, 30, 10, 74, 15, 68, 75,
//   67, 27, 21, 70, 58, 50, 40, 44, 89, 32, 30, 5, 83, 42, 18, 51, 60, 75, 45, 77, 48, 49, 20,
//   29, 37, 61], out b = [0, 46, 77, 118, 202, 275, 351, 412, 498, 537, 552, 609, 686, 735, 755,
//   814, 897, 905, 994, 1024, 1108, 1130, 1186, 1212, 1251, 1297, 1340, 1418, 1421, 1468, 1529,
//   1617, 1684, 1716, 1763, 1814, 1859, 1920, 1968, 2057, 2097, 2112, 2197, 2255, 2335, 2383,
//   2417, 2442, 2487, 2542, 2627, 2640, 2640, 2662, 2741, 2826, 2851, 2872, 2891, 2921, 2931,
//   3005, 3020, 3088, 0, 67, 94, 115, 185, 243, 293, 333, 377, 466, 498, 528, 533, 616, 658, 676,
//   727, 787, 862, 907, 984, 1032, 1081, 1101, 1130, 1167], out sums = [3163, 1228]
// run: groups 1, in a = [14, 5, 50, 77, 13, 76, 67, 66, 5, 84, 70], out b = [0, 14, 19, 69, 146,
//   159, 235, 302, 368, 373, 457], out sums = [527]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
@group(0) @binding(2) var<storage, read_write> sums : array<u32>;

const half = 32u;

var<workgroup> tree : array<u32, 2 * half + 4>;

// Apart from each other, as for banks of memory.
fn at(i : u32) -> u32 {
  return i + (i >> 4);
}

@compute @workgroup_size(half)
fn main(@builtin(local_invocation_id) local : vec3u, @builtin(workgroup_id) group : vec3u) {
  let l = local.x;
  let first = group.x * 2 * half;
  let n = arrayLength(&a);
  let low = first + l < n;
  let high = first + l + half < n;
  tree[at(l)] = select(0u, a[min(first + l, n - 1)], low);
  if high { tree[at(l + half)] = a[first + l + half]; } else { tree[at(l + half)] = 0; }
  var step = 1u;
  for (var d = half; d > 0; d >>= 1) {
    workgroupBarrier();
    if l < d {
      tree[at(step * (2 * l + 2) - 1)] += tree[at(step * (2 * l + 1) - 1)];
    }
    step *= 2;
  }
  workgroupBarrier();
  if l == 0 {
    sums[group.x] = tree[at(2 * half - 1)];
    tree[at(2 * half - 1)] = 0;
  }
  for (var d = 1u; d < 2 * half; d *= 2) {
    step >>= 1;
    workgroupBarrier();
    if l < d {
      let i = at(step * (2 * l + 1) - 1);
      let j = at(step * (2 * l + 2) - 1);
      let x = tree[i];
      tree[i] = tree[j];
      tree[j] += x;
    }
  }
  workgroupBarrier();
  if low { b[first + l] = tree[at(l)]; }
  if high { b[first + l + half] = tree[at(l + half)]; }
}
