// Calls that no overload fits, and results that are dropped: subgroups, m to z.
enable subgroups;
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> u1 : u32;

fn use_subgroupMax() {
  _ = subgroupMax();  // error argument_count: 'subgroupMax' takes 1 argument, but 0 are given
  _ = subgroupMax(i1, i1);  // error argument_count: 'subgroupMax' takes 1 argument, but 2 are given
  _ = subgroupMax(w);  // error argument_type: 'W'
  subgroupMax(i1);  // error result_not_used: the result of 'subgroupMax' must be used
}

fn use_subgroupMin() {
  _ = subgroupMin();  // error argument_count: 'subgroupMin' takes 1 argument, but 0 are given
  _ = subgroupMin(i1, i1);  // error argument_count: 'subgroupMin' takes 1 argument, but 2 are given
  _ = subgroupMin(w);  // error argument_type: 'W'
  subgroupMin(i1);  // error result_not_used: the result of 'subgroupMin' must be used
}

fn use_subgroupMul() {
  _ = subgroupMul();  // error argument_count: 'subgroupMul' takes 1 argument, but 0 are given
  _ = subgroupMul(i1, i1);  // error argument_count: 'subgroupMul' takes 1 argument, but 2 are given
  _ = subgroupMul(w);  // error argument_type: 'W'
  subgroupMul(i1);  // error result_not_used: the result of 'subgroupMul' must be used
}

fn use_subgroupOr() {
  _ = subgroupOr();  // error argument_count: 'subgroupOr' takes 1 argument, but 0 are given
  _ = subgroupOr(i1, i1);  // error argument_count: 'subgroupOr' takes 1 argument, but 2 are given
  _ = subgroupOr(w);  // error argument_type: 'W'
  subgroupOr(i1);  // error result_not_used: the result of 'subgroupOr' must be used
}

fn use_subgroupShuffle() {
  _ = subgroupShuffle();  // error argument_count: 'subgroupShuffle' takes 2 arguments, but 0 are given
  _ = subgroupShuffle(i1, i1, i1);  // error argument_count: 'subgroupShuffle' takes 2 arguments, but 3 are given
  _ = subgroupShuffle(w, i1);  // error argument_type: 'W'
  _ = subgroupShuffle(i1, w);  // error argument_type: 'W'
  subgroupShuffle(i1, i1);  // error result_not_used: the result of 'subgroupShuffle' must be used
}

fn use_subgroupShuffleDown() {
  _ = subgroupShuffleDown();  // error argument_count: 'subgroupShuffleDown' takes 2 arguments, but 0 are given
  _ = subgroupShuffleDown(i1, u1, i1);  // error argument_count: 'subgroupShuffleDown' takes 2 arguments, but 3 are given
  _ = subgroupShuffleDown(w, u1);  // error argument_type: 'W'
  _ = subgroupShuffleDown(i1, w);  // error argument_type: 'W'
  subgroupShuffleDown(i1, u1);  // error result_not_used: the result of 'subgroupShuffleDown' must be used
}

fn use_subgroupShuffleUp() {
  _ = subgroupShuffleUp();  // error argument_count: 'subgroupShuffleUp' takes 2 arguments, but 0 are given
  _ = subgroupShuffleUp(i1, u1, i1);  // error argument_count: 'subgroupShuffleUp' takes 2 arguments, but 3 are given
  _ = subgroupShuffleUp(w, u1);  // error argument_type: 'W'
  _ = subgroupShuffleUp(i1, w);  // error argument_type: 'W'
  subgroupShuffleUp(i1, u1);  // error result_not_used: the result of 'subgroupShuffleUp' must be used
}

fn use_subgroupShuffleXor() {
  _ = subgroupShuffleXor();  // error argument_count: 'subgroupShuffleXor' takes 2 arguments, but 0 are given
  _ = subgroupShuffleXor(i1, u1, i1);  // error argument_count: 'subgroupShuffleXor' takes 2 arguments, but 3 are given
  _ = subgroupShuffleXor(w, u1);  // error argument_type: 'W'
  _ = subgroupShuffleXor(i1, w);  // error argument_type: 'W'
  subgroupShuffleXor(i1, u1);  // error result_not_used: the result of 'subgroupShuffleXor' must be used
}

fn use_subgroupXor() {
  _ = subgroupXor();  // error argument_count: 'subgroupXor' takes 1 argument, but 0 are given
  _ = subgroupXor(i1, i1);  // error argument_count: 'subgroupXor' takes 1 argument, but 2 are given
  _ = subgroupXor(w);  // error argument_type: 'W'
  subgroupXor(i1);  // error result_not_used: the result of 'subgroupXor' must be used
}
