// Calls that no overload fits, and results that are dropped: atomics.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
@group(1) @binding(0) var<storage, read_write> asi : atomic<i32>;

fn use_atomicAdd() {
  _ = atomicAdd();  // error argument_count: 'atomicAdd' takes 2 arguments, but 0 are given
  _ = atomicAdd(&asi, i1, i1);  // error argument_count: 'atomicAdd' takes 2 arguments, but 3 are given
  _ = atomicAdd(w, i1);  // error argument_type: 'W'
  _ = atomicAdd(&asi, w);  // error argument_type: 'W'
  atomicAdd(&asi, i1);
}

fn use_atomicAnd() {
  _ = atomicAnd();  // error argument_count: 'atomicAnd' takes 2 arguments, but 0 are given
  _ = atomicAnd(&asi, i1, i1);  // error argument_count: 'atomicAnd' takes 2 arguments, but 3 are given
  _ = atomicAnd(w, i1);  // error argument_type: 'W'
  _ = atomicAnd(&asi, w);  // error argument_type: 'W'
  atomicAnd(&asi, i1);
}

fn use_atomicCompareExchangeWeak() {
  _ = atomicCompareExchangeWeak();  // error argument_count: 'atomicCompareExchangeWeak' takes 3 arguments, but 0 are given
  _ = atomicCompareExchangeWeak(&asi, i1, i1, i1);  // error argument_count: 'atomicCompareExchangeWeak' takes 3 arguments, but 4 are given
  _ = atomicCompareExchangeWeak(w, i1, i1);  // error argument_type: 'W'
  _ = atomicCompareExchangeWeak(&asi, w, i1);  // error argument_type: 'W'
  _ = atomicCompareExchangeWeak(&asi, i1, w);  // error argument_type: 'W'
  atomicCompareExchangeWeak(&asi, i1, i1);
}

fn use_atomicExchange() {
  _ = atomicExchange();  // error argument_count: 'atomicExchange' takes 2 arguments, but 0 are given
  _ = atomicExchange(&asi, i1, i1);  // error argument_count: 'atomicExchange' takes 2 arguments, but 3 are given
  _ = atomicExchange(w, i1);  // error argument_type: 'W'
  _ = atomicExchange(&asi, w);  // error argument_type: 'W'
  atomicExchange(&asi, i1);
}

fn use_atomicLoad() {
  _ = atomicLoad();  // error argument_count: 'atomicLoad' takes 1 argument, but 0 are given
  _ = atomicLoad(&asi, i1);  // error argument_count: 'atomicLoad' takes 1 argument, but 2 are given
  _ = atomicLoad(w);  // error argument_type: 'W'
  atomicLoad(&asi);
}

fn use_atomicMax() {
  _ = atomicMax();  // error argument_count: 'atomicMax' takes 2 arguments, but 0 are given
  _ = atomicMax(&asi, i1, i1);  // error argument_count: 'atomicMax' takes 2 arguments, but 3 are given
  _ = atomicMax(w, i1);  // error argument_type: 'W'
  _ = atomicMax(&asi, w);  // error argument_type: 'W'
  atomicMax(&asi, i1);
}

fn use_atomicMin() {
  _ = atomicMin();  // error argument_count: 'atomicMin' takes 2 arguments, but 0 are given
  _ = atomicMin(&asi, i1, i1);  // error argument_count: 'atomicMin' takes 2 arguments, but 3 are given
  _ = atomicMin(w, i1);  // error argument_type: 'W'
  _ = atomicMin(&asi, w);  // error argument_type: 'W'
  atomicMin(&asi, i1);
}

fn use_atomicOr() {
  _ = atomicOr();  // error argument_count: 'atomicOr' takes 2 arguments, but 0 are given
  _ = atomicOr(&asi, i1, i1);  // error argument_count: 'atomicOr' takes 2 arguments, but 3 are given
  _ = atomicOr(w, i1);  // error argument_type: 'W'
  _ = atomicOr(&asi, w);  // error argument_type: 'W'
  atomicOr(&asi, i1);
}

fn use_atomicStore() {
  atomicStore();  // error argument_count: 'atomicStore' takes 2 arguments, but 0 are given
  atomicStore(&asi, i1, i1);  // error argument_count: 'atomicStore' takes 2 arguments, but 3 are given
  atomicStore(w, i1);  // error argument_type: 'W'
  atomicStore(&asi, w);  // error argument_type: 'W'
  _ = atomicStore(&asi, i1);  // error no_result: 'atomicStore' returns nothing
}

fn use_atomicSub() {
  _ = atomicSub();  // error argument_count: 'atomicSub' takes 2 arguments, but 0 are given
  _ = atomicSub(&asi, i1, i1);  // error argument_count: 'atomicSub' takes 2 arguments, but 3 are given
  _ = atomicSub(w, i1);  // error argument_type: 'W'
  _ = atomicSub(&asi, w);  // error argument_type: 'W'
  atomicSub(&asi, i1);
}

fn use_atomicXor() {
  _ = atomicXor();  // error argument_count: 'atomicXor' takes 2 arguments, but 0 are given
  _ = atomicXor(&asi, i1, i1);  // error argument_count: 'atomicXor' takes 2 arguments, but 3 are given
  _ = atomicXor(w, i1);  // error argument_type: 'W'
  _ = atomicXor(&asi, w);  // error argument_type: 'W'
  atomicXor(&asi, i1);
}
