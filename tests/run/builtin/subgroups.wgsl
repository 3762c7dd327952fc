// Subgroup and quad operations, subgroups of four, the last one half full.
// run: entry reduce, subgroup 4, in a = [1, 2, 3, 4, 5, 6],
//   out b = [10, 24, 1, 4, 0, 7, 4, 10, 24, 1, 4, 0, 7, 4, 10, 24, 1, 4, 0, 7, 4, 10, 24, 1, 4, 0, 7, 4,
//            11, 30, 5, 6, 4, 7, 3, 11, 30, 5, 6, 4, 7, 3]
// run: entry scan, subgroup 4, in a = [1, 2, 3, 4, 5, 6],
//   out b = [0, 1, 1, 1, 1, 3, 1, 2, 3, 6, 2, 6, 6, 10, 6, 24, 0, 5, 1, 5, 5, 11, 5, 30]
// run: entry shift, subgroup 4, in a = [1, 2, 3, 4, 5, 6, 7, 8],
//   out b = [2, 1, 4, _, 2, 2, 3, 4, 1,
//            2, 1, 3, 1, 3, 1, 4, 3, 2,
//            2, 1, 2, 2, 4, 4, 1, 2, 3,
//            2, 1, 1, 3, _, 3, 2, 1, 4,
//            6, 5, 8, _, 6, 6, 7, 8, 5,
//            6, 5, 7, 5, 7, 5, 8, 7, 6,
//            6, 5, 6, 6, 8, 8, 5, 6, 7,
//            6, 5, 5, 7, _, 7, 6, 5, 8]
// run: entry vote, subgroup 4, in a = [1, 0, 1, 1, 1, 1, 0, 0],
//   out b = [0, 1, 13, 1, 0, 1, 13, 0, 0, 1, 13, 0, 0, 1, 13, 0, 0, 1, 3, 1, 0, 1, 3, 0, 0, 1, 3, 0, 0, 1, 3, 0]

enable subgroups;

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(6)
fn reduce(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  let v = vec2f(f32(x), 1);
  b[i * 7] = subgroupAdd(x);
  b[i * 7 + 1] = u32(subgroupMul(f32(x)));
  b[i * 7 + 2] = subgroupMin(x);
  b[i * 7 + 3] = u32(-subgroupMin(-i32(x)));
  b[i * 7 + 4] = subgroupAnd(x);
  b[i * 7 + 5] = subgroupOr(x);
  b[i * 7 + 6] = subgroupXor(x);
  b[i * 7 + 6] += u32(subgroupMax(v).y) - 1 + u32(subgroupAdd(v).x) - subgroupAdd(x)
    + u32(subgroupMax(i32(x))) - subgroupMax(x);
}

@compute @workgroup_size(6)
fn scan(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  b[i * 4] = subgroupExclusiveAdd(x);
  b[i * 4 + 1] = subgroupInclusiveAdd(vec2u(0, x)).y;
  b[i * 4 + 2] = subgroupExclusiveMul(x);
  b[i * 4 + 3] = u32(subgroupInclusiveMul(f32(x)));
}

@compute @workgroup_size(8)
fn shift(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  let at = i * 9;
  b[at] = subgroupBroadcast(x, 1);
  b[at + 1] = subgroupBroadcastFirst(x);
  b[at + 2] = subgroupShuffle(x, 3 - i % 4);
  b[at + 3] = subgroupShuffleUp(x, 1);
  b[at + 4] = subgroupShuffleDown(x, 1);
  b[at + 5] = subgroupShuffleXor(x, 1);
  b[at + 6] = quadSwapY(x);
  b[at + 7] = quadSwapDiagonal(x);
  b[at + 8] = quadSwapX(quadBroadcast(x, 2)) - quadBroadcast(x, 2) + x;
}

@compute @workgroup_size(8)
fn vote(@builtin(local_invocation_index) i : u32) {
  let x = a[i] != 0;
  b[i * 4] = u32(subgroupAll(x));
  b[i * 4 + 1] = u32(subgroupAny(x));
  b[i * 4 + 2] = subgroupBallot(x).x;
  b[i * 4 + 3] = u32(subgroupElect());
}
