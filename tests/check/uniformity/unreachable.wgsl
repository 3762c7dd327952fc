// What cannot be reached needs nothing and changes nothing.
var<private> own : u32;
@group(0) @binding(0) var<storage> same : array<u32>;

fn after_return() {
  return;
  if own > 1 {
    workgroupBarrier();
  }
}

fn after_break() {
  var x = 1u;
  loop {
    break;
    x = own;
    if own > 1 {
      workgroupBarrier();
    }
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn after_a_loop_that_only_returns() -> u32 {
  loop {
    if own > 1 {
      return 1;
    }
    if same[0] > 1 {
      return 2;
    }
  }
}

fn after_both_branches_left() -> u32 {
  if same[0] > 1 {
    return 1;
  } else {
    return 2;
  }
  if own > 1 {
    workgroupBarrier();
  }
  return own;
}
fn its_result() {
  if after_both_branches_left() > 1 {
    workgroupBarrier();
  }
}

// A loop inside what cannot be reached is skipped as a whole.
fn loops_after_return() {
  var x = 1u;
  for (var i = 0u; i < same[0]; i++) {
    if same[1] > 1 {
      return;
      loop {
        x = own;
        break;
      }
    }
    loop {
      x = 2;
      if same[2] > 1 {
        break;
      }
    }
  }
  if x > 1 {
    workgroupBarrier();
  }
}
