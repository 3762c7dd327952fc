// Operations of subgroups and quads: the subgroup comes together, and no more.
enable subgroups;
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;

fn where_it_differs() {
  if own > 1 {
    _ = subgroupAdd(1);               // error subgroup_uniformity@9: 'subgroupAdd' must be called in uniform control flow: all invocations of the subgroup have to come here together
    _ = subgroupExclusiveAdd(1);      // error subgroup_uniformity:
    _ = subgroupInclusiveMul(1);      // error subgroup_uniformity:
    _ = subgroupElect();              // error subgroup_uniformity:
    _ = subgroupBallot(true);         // error subgroup_uniformity:
    _ = subgroupBroadcast(1, 1);      // error subgroup_uniformity:
    _ = subgroupShuffle(1, 1);        // error subgroup_uniformity:
    _ = subgroupShuffleUp(1, 1);      // error subgroup_uniformity@9:
    _ = quadBroadcast(1, 1);          // error subgroup_uniformity:
    _ = quadSwapX(1);                 // error subgroup_uniformity:
    _ = quadSwapY(1);                 // error subgroup_uniformity:
    _ = quadSwapDiagonal(1);          // error subgroup_uniformity:
  }
}

fn in_uniform_flow() {
  if same[0] > 1 {
    _ = subgroupAdd(own);
    _ = subgroupShuffle(own, own);
    _ = quadSwapX(own);
  }
}

// How far to shuffle is the same for all.
fn arguments() {
  _ = subgroupShuffleUp(own, same[0]);
  _ = subgroupShuffleUp(own, own);    // error subgroup_uniformity@30: this argument of 'subgroupShuffleUp' must be the same in all invocations of the subgroup
  _ = subgroupShuffleDown(own, same[0]);
  _ = subgroupShuffleDown(own, own);  // error subgroup_uniformity@32:
  _ = subgroupShuffleXor(own, same[0]);
  _ = subgroupShuffleXor(own, own);   // error subgroup_uniformity@31:
}
fn hands_on(by : u32) -> u32 {
  return subgroupShuffleXor(1u, by);  // error subgroup_uniformity@33:
}
fn arguments_of_callers() {
  _ = hands_on(same[0]);
  _ = hands_on(own);
}

// Results that are the same for the subgroup, if the arguments are.
fn results() {
  if subgroupAdd(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupMul(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupMin(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupMax(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupAnd(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupOr(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupXor(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupAll(true) { _ = subgroupAny(true); }
  if subgroupAny(true) { _ = subgroupAny(true); }
  if subgroupBallot(true).x > 1 { _ = subgroupAny(true); }
  if subgroupBroadcast(same[0], 1) > 1 { _ = subgroupAny(true); }
  if subgroupBroadcastFirst(same[0]) > 1 { _ = subgroupAny(true); }
  if subgroupAdd(own) > 1 { _ = subgroupAny(true); }              // error subgroup_uniformity: 'subgroupAny'
}

fn results_that_differ() {
  if subgroupElect() { _ = subgroupAny(true); }                   // error subgroup_uniformity: 'subgroupAny'
  if subgroupInclusiveAdd(1) > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity: 'subgroupAny'
  if subgroupExclusiveAdd(1) > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity: 'subgroupAny'
  if subgroupInclusiveMul(1) > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity: 'subgroupAny'
  if subgroupExclusiveMul(1) > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity: 'subgroupAny'
  if subgroupShuffle(1, 1) > 1 { _ = subgroupAny(true); }         // error subgroup_uniformity: 'subgroupAny'
  if subgroupShuffleUp(1, 1) > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity: 'subgroupAny'
  if quadBroadcast(1, 1) > 1 { _ = subgroupAny(true); }           // error subgroup_uniformity: 'subgroupAny'
  if quadSwapX(1) > 1 { _ = subgroupAny(true); }                  // error subgroup_uniformity: 'subgroupAny'
}

// What is the same in each subgroup still differs between those of a workgroup.
fn two_scopes() -> u32 {
  let sum = subgroupAdd(same[0]);
  if sum > 1 {
    _ = subgroupAny(true);
    workgroupBarrier();               // error workgroup_uniformity:
  }
  return sum;
}
fn two_scopes_through_a_call() {
  if two_scopes_2() > 1 {
    _ = subgroupAny(true);
    workgroupBarrier();               // error workgroup_uniformity:
  }
}
fn two_scopes_2() -> u32 { return subgroupMax(same[0]); }

// Barriers do not ask about subgroups, nor subgroups about barriers.
fn one_fails_and_the_other_does_not(x : ptr<function, u32>) {
  *x = subgroupMax(same[0]);
}
fn memory_after_a_call() {
  var x = own;
  one_fails_and_the_other_does_not(&x);
  if x > 1 {
    _ = subgroupAny(true);
  }
  if x > 1 {
    storageBarrier();                 // error workgroup_uniformity: 'storageBarrier'
  }
}
