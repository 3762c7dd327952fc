// `switch`: `break` goes on after it, so control flow comes together there.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;

fn clauses_of_a_uniform_selector() {
  switch same[0] {
    case 0: { workgroupBarrier(); }
    case 1, 2: { workgroupBarrier(); }
    default: { workgroupBarrier(); }
  }
  workgroupBarrier();
}

fn clauses_of_another_selector() {
  switch own {
    case 0: { workgroupBarrier(); }   // error workgroup_uniformity:
    default: { workgroupBarrier(); }  // error workgroup_uniformity:
  }
  workgroupBarrier();
}

fn break_ends_the_switch_only() {
  switch same[0] {
    case 0: {
      if own > 1 {
        break;
      }
      workgroupBarrier();  // error workgroup_uniformity:
    }
    default: {
      workgroupBarrier();
    }
  }
  workgroupBarrier();
}

fn some_return() {
  switch own {
    case 0: { return; }
    default: { }
  }
  workgroupBarrier();      // error workgroup_uniformity:
}

fn all_return_or_none() {
  switch same[0] {
    case 0: { return; }
    default: { }
  }
  workgroupBarrier();
}

fn continue_in_a_switch() {
  loop {
    switch own {
      case 0: { continue; }
      default: { }
    }
    workgroupBarrier();    // error workgroup_uniformity:
    if same[1] > 2 {
      break;
    }
  }
  workgroupBarrier();
}

fn values_of_clauses() {
  var x = 1u;
  switch same[0] {
    case 0: { x = same[1]; }
    case 1: { x = own; break; }
    default: { }
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y = own;
  switch same[0] {
    case 0: { y = same[1]; }
    case 1: { y = same[2]; break; }
    default: { y = 4; }
  }
  if y > 1 {
    workgroupBarrier();
  }
}

fn values_at_breaks() {
  var x = 1u;
  switch same[0] {
    default: {
      if same[1] > 0 {
        x = own;
        break;
      }
      x = 2;
    }
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y = 1u;
  switch same[0] {
    default: {
      y = own;
      if same[1] > 0 {
        y = 2;
        break;
      }
      y = 3;
    }
  }
  if y > 1 {
    workgroupBarrier();
  }
}

// What a clause that returns leaves behind is seen nowhere.
fn values_of_clauses_that_leave() {
  var x = 1u;
  switch same[0] {
    case 0: { x = own; return; }
    default: { }
  }
  if x > 1 {
    workgroupBarrier();
  }
}
