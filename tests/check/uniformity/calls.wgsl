// Calls of functions: what they require, what their results depend on.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;
var<workgroup> wide : array<u32, 4>;

// ---- results ----

fn gives_same() -> u32 { return same[0]; }
fn gives_own() -> u32 { return own; }
fn gives(a : u32, b : u32) -> u32 { return a; }
fn chooses(a : u32, b : u32) -> u32 {
  if a > 1 {
    return 1;
  }
  return 2;
}
fn returns_where_it_differs() -> u32 {
  if own > 1 {
    return 1;
  }
  return 1;
}

fn results() {
  if gives_same() > 1 {
    workgroupBarrier();
  }
  if gives_own() > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  if returns_where_it_differs() > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  if gives(same[0], own) > 1 {
    workgroupBarrier();
  }
  if gives(own, same[0]) > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  if chooses(same[0], own) > 1 {
    workgroupBarrier();
  }
  if chooses(own, same[0]) > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn called_where_it_differs() {
  var x = 1u;
  if own > 1 {
    x = gives_same();
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

// What happens inside a function is over when it returns.
fn returns_early() {
  if own > 1 {
    return;
  }
  own = 1;
}
fn after_the_call() {
  returns_early();
  workgroupBarrier();
}

// ---- requirements on control flow ----

fn meets() { workgroupBarrier(); }         // error workgroup_uniformity:
fn meets_inside() { meets_2(); }
fn meets_2() { storageBarrier(); }         // error workgroup_uniformity: 'storageBarrier'
fn meets_in_a_branch() {
  if same[0] > 1 {
    textureBarrier();                      // error workgroup_uniformity: 'textureBarrier'
  }
}

fn calls_them() {
  meets();
  meets_inside();
  meets_in_a_branch();
  if same[1] > 1 {
    meets();
    meets_inside();
  }
}

fn calls_them_where_it_differs() {
  if own > 1 {
    meets();
    meets_inside();
    meets_in_a_branch();
  }
}

// ---- requirements on arguments ----

fn decides(a : u32, b : u32) {
  if a > 1 {
    workgroupBarrier();                    // error workgroup_uniformity: 'workgroupBarrier'
  }
}
fn hands_on(a : u32, b : u32) { decides_2(b, a); }
fn decides_2(a : u32, b : u32) {
  var x = a;
  if x > 1 {
    storageBarrier();                      // error workgroup_uniformity: 'storageBarrier'
  }
}

fn gives_arguments() {
  decides(same[0], own);
  decides(own, same[0]);
  hands_on(own, same[0]);
  hands_on(same[0], own);
}

// One function, wrong in itself: said once, and not again for its callers.
fn wrong() {
  if own > 1 {
    workgroupBarrier();                    // error workgroup_uniformity:
  }
}
fn calls_what_is_wrong() {
  wrong();
  if own > 2 {
    wrong();
  }
}

// ---- arguments ----

fn takes(a : bool, b : u32) -> u32 { return b; }
fn barrier_as_argument() -> u32 {
  return takes(own > 1 || same[0] > 1, value());
}
fn value() -> u32 {
  workgroupBarrier();
  return 1;
}

// ---- pointers outside the function address space ----

fn loads(p : ptr<workgroup, u32>) -> u32 { return workgroupUniformLoad(p); }  // error workgroup_uniformity@72: this argument of 'workgroupUniformLoad'
fn reads(p : ptr<workgroup, u32>) -> u32 { return *p; }
fn reads_private(p : ptr<private, u32>) -> u32 { return *p; }
fn reads_same(p : ptr<storage, u32>) -> u32 { return *p; }

fn other_pointers() {
  if loads(&wide[same[0]]) > 1 {
    workgroupBarrier();
  }
  if loads(&wide[own]) > 1 {
    workgroupBarrier();
  }
  if reads(&wide[0]) > 1 {
    workgroupBarrier();                    // error workgroup_uniformity:
  }
  if reads_private(&own) > 1 {
    workgroupBarrier();                    // error workgroup_uniformity:
  }
  if reads_same(&same[same[1]]) > 1 {
    workgroupBarrier();
  }
  if reads_same(&same[own]) > 1 {
    workgroupBarrier();                    // error workgroup_uniformity:
  }
}

fn through_a_let(p : ptr<workgroup, u32>, q : ptr<storage, u32>) {
  let r = p;
  let s = q;
  if *s > 1 {
    workgroupBarrier();
  }
  if *r > 1 {
    workgroupBarrier();                    // error workgroup_uniformity:
  }
}
