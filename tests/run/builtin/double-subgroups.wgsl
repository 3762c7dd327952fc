// Subgroup and quad operations on f64, on vectors of it too, and where some invocations are missing.
// run: subgroup 4, in x = [1, -2, 3, 0.5, 5, 6, -7, 8],
//   out y = [3, 1, -2, 0.5, -3, 3, -2, 0.5, 2.5, 14.25, -3, 1, 0, 1, 1, 4, 3, 1, 1, 3, -3,
//   3, -2, -1.5, 2.5, 14.25, -3, -1, 1, -2, 1, 0.5, 3, 1, 0.5, -2, -3, 3, -2, 3.5, 2.5,
//   14.25, -3, 2, -1, -6, -2, 4, 3, 1, 3, 1, -3, 3, -2, 0, 2.5, 14.25, -3, 2.5, 2, -3, -6,
//   0.5, -7, 5, 6, 8, -8, 8, 6, -9, 12, 174, -1680, 5, 0, 5, 1, -2, -7, 5, 5, -7, -8, 8,
//   6, 20, 12, 174, -1680, 11, 5, 30, 5, 8, -7, 5, 8, 6, -8, 8, 6, 7, 12, 174, -1680, 4,
//   11, -210, 30, -2, -7, 5, -7, 5, -8, 8, 6, -6, 12, 174, -1680, 12, 4, -1680, -210, 8]
// run: subgroup 8, in x = [1, -2, 3, 0.5, 5, 6, -7, 8],
//   out y = [3, 1, -2, 8, -8, 8, -2, 0.5, 14.5, 188.25, 5040, 1, 0, 1, 1, 2, 3, 1, 1, -7,
//   -8, 8, -2, -1.5, 14.5, 188.25, 5040, -1, 1, -2, 1, 8, 3, 1, 0.5, 6, -8, 8, -2, 3.5,
//   14.5, 188.25, 5040, 2, -1, -6, -2, 2, 3, 1, 3, 5, -8, 8, -2, 0, 14.5, 188.25, 5040,
//   2.5, 2, -3, -6, 8, 3, 1, 6, 0.5, -8, 8, 6, -9, 14.5, 188.25, 5040, 7.5, 2.5, -15, -3,
//   2, 3, 1, 5, 3, -8, 8, 6, 20, 14.5, 188.25, 5040, 13.5, 7.5, -90, -15, 8, 3, 1, 8, -2,
//   -8, 8, 6, 7, 14.5, 188.25, 5040, 6.5, 13.5, 630, -90, 2, 3, 1, -7, 1, -8, 8, 6, -6,
//   14.5, 188.25, 5040, 14.5, 6.5, 5040, 630, 8]
enable weft_f64, subgroups;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage> x : array<f64, 8>;
@group(0) @binding(1) var<storage, read_write> y : array<array<f64, 16>, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i : u32, @builtin(subgroup_size) size : u32) {
  let a = x[i];
  let v = vec3d(a, -a, a * a);
  let k = i % size;
  var r = array<f64, 16>();
  r[0] = subgroupBroadcast(a, 2);
  r[1] = subgroupBroadcastFirst(v).x;
  r[2] = subgroupShuffleXor(a, 1);
  r[3] = subgroupShuffle(v, size - 1 - k).x;
  r[4] = subgroupMin(v).y;
  r[5] = subgroupMax(a);
  r[6] = quadBroadcast(a, 1);
  r[7] = quadSwapX(a) + quadSwapY(v).x - quadSwapDiagonal(a);
  r[8] = subgroupAdd(a);
  r[9] = subgroupAdd(v).z;
  r[10] = subgroupMul(a);
  r[11] = subgroupInclusiveAdd(a);
  r[12] = -subgroupExclusiveAdd(v).y;
  r[13] = subgroupInclusiveMul(a);
  r[14] = subgroupExclusiveMul(v).x;
  if (k & 1) == 1 { r[15] = subgroupMax(a); } else { r[15] = subgroupAdd(a); }
  y[i] = r;
}
