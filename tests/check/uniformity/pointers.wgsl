// A `let` of pointer type stands for the memory it points to; the indices on the
// way are those of its declaration.
struct Inner { x : array<u32, 4> }
struct Outer { x : array<Inner, 4>, y : u32 }
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;
var<workgroup> wide : array<u32, 4>;

fn the_contents_are_those_of_now() {
  var x = own;
  let p = &x;
  x = same[0];
  if *p > 1 {
    workgroupBarrier();
  }
  x = own;
  if *p > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  *p = 1;
  if x > 1 {
    workgroupBarrier();
  }
  *p = own;
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn pointers_to_the_whole() {
  var x = own;
  let p = &x;
  let q = &*p;
  let r = q;
  *r = 1;
  if x > 1 {
    workgroupBarrier();
  }
  *&x = own;
  *(&(x)) = 2;
  if *r > 1 {
    workgroupBarrier();
  }
}

fn pointers_to_parts() {
  var x : Outer;
  x.y = own;
  let p = &x.y;
  *p = 1;
  if *p > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn the_index_is_that_of_the_declaration() {
  var x : array<u32, 4>;
  var i = own;
  let p = &x[i];
  i = 0;
  if *p > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  let q = &x[i];
  i = own;
  if *q > 1 {
    workgroupBarrier();
  }
  *q = 1;
  if x[0] > 1 {
    workgroupBarrier();
  }
  *p = 1;
  if x[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn chains(lane : u32) {
  var x : Outer;
  let p = &x.x;
  let q = &(*p)[same[0]];
  let r = &(*q).x;
  let s = &(*r)[same[1]];
  if *s > 1 {
    workgroupBarrier();
  }
  let t = &p[own].x[0];
  if *t > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn a_call_in_the_initializer_happens_once() {
  var x : array<u32, 4>;
  let p = &x[meets()];
  if own > 1 {
    *p = 3;
  }
}
fn meets() -> u32 {
  workgroupBarrier();
  return 1;
}

fn addresses(lane : u32) {
  let p = &wide[same[0]];
  _ = workgroupUniformLoad(p);
  let q = &wide[own];
  _ = workgroupUniformLoad(q);   // error workgroup_uniformity@28: this argument of 'workgroupUniformLoad' must be the same in all invocations of the workgroup
  if *p > 1 {
    workgroupBarrier();          // error workgroup_uniformity:
  }
}

fn assignments_evaluate_their_left_side() {
  var x : array<u32, 4>;
  x[needs(same[0])] = 1;
  x[needs(own)] = 1;
}
fn needs(i : u32) -> u32 {
  if i > 1 { workgroupBarrier(); }  // error workgroup_uniformity: 'workgroupBarrier'
  return i;
}

fn pointers_in_loops() {
  var x = 1u;
  let p = &x;
  loop {
    if x > 1 {
      workgroupBarrier();  // error workgroup_uniformity:
    }
    *p = own;
    if same[0] > 1 {
      break;
    }
  }
}
