// Calls that no overload fits, and results that are dropped: barriers.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<workgroup> awi : atomic<i32>;

fn use_storageBarrier() {
  storageBarrier(i1);  // error argument_count: 'storageBarrier' takes 0 arguments, but 1 is given
  _ = storageBarrier();  // error no_result: 'storageBarrier' returns nothing
}

fn use_textureBarrier() {
  textureBarrier(i1);  // error argument_count: 'textureBarrier' takes 0 arguments, but 1 is given
  _ = textureBarrier();  // error no_result: 'textureBarrier' returns nothing
}

fn use_workgroupBarrier() {
  workgroupBarrier(i1);  // error argument_count: 'workgroupBarrier' takes 0 arguments, but 1 is given
  _ = workgroupBarrier();  // error no_result: 'workgroupBarrier' returns nothing
}

fn use_workgroupUniformLoad() {
  _ = workgroupUniformLoad();  // error argument_count: 'workgroupUniformLoad' takes 1 argument, but 0 are given
  _ = workgroupUniformLoad(&awi, i1);  // error argument_count: 'workgroupUniformLoad' takes 1 argument, but 2 are given
  _ = workgroupUniformLoad(w);  // error argument_type: 'W'
  workgroupUniformLoad(&awi);  // error result_not_used: the result of 'workgroupUniformLoad' must be used
}
