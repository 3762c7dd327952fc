// Invocations that change one place see each other's changes one after the other, in some
// order: the old values tell, of all invocations and of some of them.
// run: entry shares, groups 2, out n = [140, -56], out taken = [140*1, 0], out rest = [56*1, 0]
// run: entry bits, in words = [4294967295, 0, 0], out words = [0, 4294967295, 2863311530],
//   out firsts = [1, 1, 1], out wrong = [0]
// run: entry extremes, groups 2, in limits = [1000, 0, 500, -500], out limits = [3, 39, -36, 36],
//   out firsts = [2, 2, 2], out wrong = [0]
// run: entry locally, groups 3, out taken = [111*1, 29*0, 0]

// Each takes a share of a common heap, and finds it untouched.
struct Counters { up : atomic<u32>, down : atomic<i32> }
@group(0) @binding(0) var<storage, read_write> n : Counters;
@group(0) @binding(1) var<storage, read_write> taken : array<atomic<u32>, 141>;
@group(0) @binding(2) var<storage, read_write> rest : array<atomic<u32>, 57>;

@compute @workgroup_size(37) fn shares(@builtin(local_invocation_index) i : u32) {
  let share = i % 4 + u32(i < 16);
  let first = atomicAdd(&n.up, share);
  for (var k = first; k < first + share; k++) { atomicAdd(&taken[k], 1); }
  if i % 5 != 2 {
    let left = -atomicSub(&n.down, i32(i % 3));
    for (var k = 0; k < i32(i % 3); k++) { atomicAdd(&rest[left + k], 1); }
  }
}

// Each has a bit of its own, and one of them is first.
@group(0) @binding(3) var<storage, read_write> words : array<atomic<u32>, 3>;
@group(0) @binding(4) var<storage, read_write> firsts : array<atomic<u32>, 3>;
@group(0) @binding(5) var<storage, read_write> wrong : atomic<u32>;

@compute @workgroup_size(32) fn bits(@builtin(local_invocation_index) i : u32) {
  let own = 1u << i;
  let all = atomicAnd(&words[0], ~own);
  let none = atomicOr(&words[1], own);
  if (all & own) == 0 || (none & own) != 0 { atomicAdd(&wrong, 1); }
  if all == 0xffffffff { atomicAdd(&firsts[0], 1); }
  if none == 0 { atomicAdd(&firsts[1], 1); }
  if i % 2 == 1 {
    let odd = atomicXor(&words[2], own);
    if (odd & own) != 0 { atomicAdd(&wrong, 1); }
    if odd == 0 { atomicAdd(&firsts[2], 1); }
  }
}

// No old value is beyond the one that is there later, and those who begin are known by it.
struct Limits { least : atomic<u32>, most : atomic<u32>, low : atomic<i32>, high : atomic<i32> }
@group(0) @binding(6) var<storage, read_write> limits : Limits;

@compute @workgroup_size(37) fn extremes(@builtin(local_invocation_index) i : u32,
                                         @builtin(workgroup_id) g : vec3u) {
  // The workgroups stay apart: each has two of the four.
  if g.x == 0 {
    let least = atomicMin(&limits.least, i + 3);
    let most = atomicMax(&limits.most, i + 3);
    if least < atomicLoad(&limits.least) || most > atomicLoad(&limits.most) { atomicAdd(&wrong, 1); }
    if least == 1000 { atomicAdd(&firsts[0], 1); }
    if most == 0 { atomicAdd(&firsts[1], 1); }
  } else {
    let low = atomicMin(&limits.low, -i32(i));
    let high = atomicMax(&limits.high, i32(i));
    if low < atomicLoad(&limits.low) || high > atomicLoad(&limits.high) { atomicAdd(&wrong, 1); }
    if low == 500 { atomicAdd(&firsts[0], 1); }
    if high == -500 { atomicAdd(&firsts[1], 1); }
  }
  if i == 0 { atomicAdd(&firsts[2], 1); }
}

// The same in memory of a workgroup.
var<workgroup> here : atomic<u32>;

@compute @workgroup_size(37) fn locally(@builtin(workgroup_id) g : vec3u) {
  atomicAdd(&taken[g.x * 37 + atomicAdd(&here, 1)], 1);
}
