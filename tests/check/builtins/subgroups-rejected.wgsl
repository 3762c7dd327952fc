// Calls that no overload fits, and results that are dropped: subgroups.
enable subgroups;
struct W { a : i32 }
var<private> w : W;
var<private> b1 : bool;
var<private> i1 : i32;

fn use_quadBroadcast() {
  _ = quadBroadcast();  // error argument_count: 'quadBroadcast' takes 2 arguments, but 0 are given
  _ = quadBroadcast(i1, 3, i1);  // error argument_count: 'quadBroadcast' takes 2 arguments, but 3 are given
  _ = quadBroadcast(w, 3);  // error argument_type: 'W'
  _ = quadBroadcast(i1, w);  // error argument_type: 'W'
  quadBroadcast(i1, 3);  // error result_not_used: the result of 'quadBroadcast' must be used
}

fn use_quadSwapDiagonal() {
  _ = quadSwapDiagonal();  // error argument_count: 'quadSwapDiagonal' takes 1 argument, but 0 are given
  _ = quadSwapDiagonal(i1, i1);  // error argument_count: 'quadSwapDiagonal' takes 1 argument, but 2 are given
  _ = quadSwapDiagonal(w);  // error argument_type: 'W'
  quadSwapDiagonal(i1);  // error result_not_used: the result of 'quadSwapDiagonal' must be used
}

fn use_quadSwapX() {
  _ = quadSwapX();  // error argument_count: 'quadSwapX' takes 1 argument, but 0 are given
  _ = quadSwapX(i1, i1);  // error argument_count: 'quadSwapX' takes 1 argument, but 2 are given
  _ = quadSwapX(w);  // error argument_type: 'W'
  quadSwapX(i1);  // error result_not_used: the result of 'quadSwapX' must be used
}

fn use_quadSwapY() {
  _ = quadSwapY();  // error argument_count: 'quadSwapY' takes 1 argument, but 0 are given
  _ = quadSwapY(i1, i1);  // error argument_count: 'quadSwapY' takes 1 argument, but 2 are given
  _ = quadSwapY(w);  // error argument_type: 'W'
  quadSwapY(i1);  // error result_not_used: the result of 'quadSwapY' must be used
}

fn use_subgroupAdd() {
  _ = subgroupAdd();  // error argument_count: 'subgroupAdd' takes 1 argument, but 0 are given
  _ = subgroupAdd(i1, i1);  // error argument_count: 'subgroupAdd' takes 1 argument, but 2 are given
  _ = subgroupAdd(w);  // error argument_type: 'W'
  subgroupAdd(i1);  // error result_not_used: the result of 'subgroupAdd' must be used
}

fn use_subgroupAll() {
  _ = subgroupAll();  // error argument_count: 'subgroupAll' takes 1 argument, but 0 are given
  _ = subgroupAll(b1, i1);  // error argument_count: 'subgroupAll' takes 1 argument, but 2 are given
  _ = subgroupAll(w);  // error argument_type: 'W'
  subgroupAll(b1);  // error result_not_used: the result of 'subgroupAll' must be used
}

fn use_subgroupAnd() {
  _ = subgroupAnd();  // error argument_count: 'subgroupAnd' takes 1 argument, but 0 are given
  _ = subgroupAnd(i1, i1);  // error argument_count: 'subgroupAnd' takes 1 argument, but 2 are given
  _ = subgroupAnd(w);  // error argument_type: 'W'
  subgroupAnd(i1);  // error result_not_used: the result of 'subgroupAnd' must be used
}

fn use_subgroupAny() {
  _ = subgroupAny();  // error argument_count: 'subgroupAny' takes 1 argument, but 0 are given
  _ = subgroupAny(b1, i1);  // error argument_count: 'subgroupAny' takes 1 argument, but 2 are given
  _ = subgroupAny(w);  // error argument_type: 'W'
  subgroupAny(b1);  // error result_not_used: the result of 'subgroupAny' must be used
}

fn use_subgroupBallot() {
  _ = subgroupBallot();  // error argument_count: 'subgroupBallot' takes 1 argument, but 0 are given
  _ = subgroupBallot(b1, i1);  // error argument_count: 'subgroupBallot' takes 1 argument, but 2 are given
  _ = subgroupBallot(w);  // error argument_type: 'W'
  subgroupBallot(b1);  // error result_not_used: the result of 'subgroupBallot' must be used
}

fn use_subgroupBroadcast() {
  _ = subgroupBroadcast();  // error argument_count: 'subgroupBroadcast' takes 2 arguments, but 0 are given
  _ = subgroupBroadcast(i1, 127, i1);  // error argument_count: 'subgroupBroadcast' takes 2 arguments, but 3 are given
  _ = subgroupBroadcast(w, 127);  // error argument_type: 'W'
  _ = subgroupBroadcast(i1, w);  // error argument_type: 'W'
  subgroupBroadcast(i1, 127);  // error result_not_used: the result of 'subgroupBroadcast' must be used
}

fn use_subgroupBroadcastFirst() {
  _ = subgroupBroadcastFirst();  // error argument_count: 'subgroupBroadcastFirst' takes 1 argument, but 0 are given
  _ = subgroupBroadcastFirst(i1, i1);  // error argument_count: 'subgroupBroadcastFirst' takes 1 argument, but 2 are given
  _ = subgroupBroadcastFirst(w);  // error argument_type: 'W'
  subgroupBroadcastFirst(i1);  // error result_not_used: the result of 'subgroupBroadcastFirst' must be used
}

fn use_subgroupElect() {
  _ = subgroupElect(i1);  // error argument_count: 'subgroupElect' takes 0 arguments, but 1 is given
  subgroupElect();  // error result_not_used: the result of 'subgroupElect' must be used
}

fn use_subgroupExclusiveAdd() {
  _ = subgroupExclusiveAdd();  // error argument_count: 'subgroupExclusiveAdd' takes 1 argument, but 0 are given
  _ = subgroupExclusiveAdd(i1, i1);  // error argument_count: 'subgroupExclusiveAdd' takes 1 argument, but 2 are given
  _ = subgroupExclusiveAdd(w);  // error argument_type: 'W'
  subgroupExclusiveAdd(i1);  // error result_not_used: the result of 'subgroupExclusiveAdd' must be used
}

fn use_subgroupExclusiveMul() {
  _ = subgroupExclusiveMul();  // error argument_count: 'subgroupExclusiveMul' takes 1 argument, but 0 are given
  _ = subgroupExclusiveMul(i1, i1);  // error argument_count: 'subgroupExclusiveMul' takes 1 argument, but 2 are given
  _ = subgroupExclusiveMul(w);  // error argument_type: 'W'
  subgroupExclusiveMul(i1);  // error result_not_used: the result of 'subgroupExclusiveMul' must be used
}

fn use_subgroupInclusiveAdd() {
  _ = subgroupInclusiveAdd();  // error argument_count: 'subgroupInclusiveAdd' takes 1 argument, but 0 are given
  _ = subgroupInclusiveAdd(i1, i1);  // error argument_count: 'subgroupInclusiveAdd' takes 1 argument, but 2 are given
  _ = subgroupInclusiveAdd(w);  // error argument_type: 'W'
  subgroupInclusiveAdd(i1);  // error result_not_used: the result of 'subgroupInclusiveAdd' must be used
}

fn use_subgroupInclusiveMul() {
  _ = subgroupInclusiveMul();  // error argument_count: 'subgroupInclusiveMul' takes 1 argument, but 0 are given
  _ = subgroupInclusiveMul(i1, i1);  // error argument_count: 'subgroupInclusiveMul' takes 1 argument, but 2 are given
  _ = subgroupInclusiveMul(w);  // error argument_type: 'W'
  subgroupInclusiveMul(i1);  // error result_not_used: the result of 'subgroupInclusiveMul' must be used
}
