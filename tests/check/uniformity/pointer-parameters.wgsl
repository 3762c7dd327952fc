// Pointers into the function address space as parameters: what is behind them
// flows in, out, and decides.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;

fn reads(p : ptr<function, u32>) -> u32 { return *p; }
fn ignores(p : ptr<function, u32>) -> u32 { return same[0]; }
fn writes_same(p : ptr<function, u32>) { *p = same[0]; }
fn writes_own(p : ptr<function, u32>) { *p = own; }
fn adds(p : ptr<function, u32>, by : u32) { *p += by; }
fn copies(to : ptr<function, u32>, what : ptr<function, u32>) { *to = *what; }
fn writes_maybe(p : ptr<function, u32>) {
  if same[0] > 1 {
    return;
  }
  *p = 1;
}
fn element(p : ptr<function, array<u32, 4>>, i : u32) { (*p)[i] = 1; }
fn first(p : ptr<function, array<u32, 4>>) { p[0] = 1; }

// ---- results ----

fn results() {
  var x = same[0];
  if reads(&x) > 1 {
    workgroupBarrier();
  }
  x = own;
  if reads(&x) > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  if ignores(&x) > 1 {
    workgroupBarrier();
  }
}

// ---- what is behind them afterwards ----

fn unchanged() {
  var x = same[0];
  _ = reads(&x);
  if x > 1 {
    workgroupBarrier();
  }
}

fn overwritten() {
  var x = own;
  writes_same(&x);
  if x > 1 {
    workgroupBarrier();
  }
  writes_own(&x);
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn changed_by_other_arguments() {
  var x = same[0];
  adds(&x, same[1]);
  if x > 1 {
    workgroupBarrier();
  }
  adds(&x, own);
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn changed_from_other_pointers() {
  var x = own;
  var y = same[0];
  copies(&x, &y);
  if x > 1 {
    workgroupBarrier();
  }
  y = own;
  copies(&x, &y);
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn changed_on_some_ways() {
  var x = own;
  writes_maybe(&x);
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y = 1u;
  writes_maybe(&y);
  if y > 1 {
    workgroupBarrier();
  }
}

fn where_the_callee_writes() {
  var x : array<u32, 4>;
  element(&x, same[0]);
  if x[0] > 1 {
    workgroupBarrier();
  }
  element(&x, own);
  if x[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn a_part_is_given() {
  var x : array<u32, 4>;
  x[1] = own;
  writes_same(&x[0]);
  if x[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y : array<u32, 4>;
  writes_same(&y[own]);
  if y[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var z : array<u32, 4>;
  first(&z);
  writes_same(&z[same[0]]);
  if z[0] > 1 {
    workgroupBarrier();
  }
}

fn who_calls_counts() {
  var x = 1u;
  if own > 1 {
    writes_same(&x);
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  // A call counts as writing, even if the callee does not.
  var y = 1u;
  if own > 1 {
    _ = reads(&y);
  }
  if y > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

// ---- handed on ----

fn hands_on(p : ptr<function, u32>) {
  let q = p;
  writes_own(q);
}

fn through_two_functions() {
  var x = 1u;
  hands_on(&x);
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

// ---- what is required behind them ----

fn decides(p : ptr<function, u32>) {
  if *p > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  *p = 1;
}

fn given_what_differs() {
  var x = same[0];
  decides(&x);
  x = own;
  decides(&x);
}

fn decides_about_a_copy(p : ptr<function, array<u32, 4>>, i : u32) {
  let q = &(*p)[i];
  *q = 2;
  if *q > 1 {
    storageBarrier();      // error workgroup_uniformity: 'storageBarrier'
  }
}

fn given_an_index_that_differs() {
  var x : array<u32, 4>;
  decides_about_a_copy(&x, same[0]);
  decides_about_a_copy(&x, own);
}

// ---- the order of evaluation ----

fn takes(p : ptr<function, u32>) -> u32 {
  *p = own;
  return 1;
}

fn read_after_the_call() {
  var x = 1u;
  let sum = takes(&x) + x;
  if sum > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn read_before_the_call() {
  var x = 1u;
  let sum = x + takes(&x);
  if sum > 1 {
    workgroupBarrier();
  }
}
