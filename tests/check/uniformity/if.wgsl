// Control flow comes together after an `if` that always goes on, and not after one
// that some invocations leave by another way.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;

fn together_again() {
  if own > 1 {
    own = 2;
  }
  workgroupBarrier();
  if own > 1 {
  } else {
    own = 2;
  }
  workgroupBarrier();
}

fn some_return() {
  if own > 1 {
    return;
  }
  workgroupBarrier();    // error workgroup_uniformity:
}

fn some_return_from_else() {
  if own > 1 {
    own = 1;
  } else {
    return;
  }
  workgroupBarrier();    // error workgroup_uniformity:
}

fn all_return_or_none() {
  if same[0] > 1 {
    return;
  }
  workgroupBarrier();
}

fn all_return() {
  if own > 1 {
    return;
  } else {
    return;
  }
  workgroupBarrier();
}

fn return_deeper_inside() {
  if same[0] > 1 {
    if own > 1 {
      return;
    }
    workgroupBarrier();  // error workgroup_uniformity:
  }
  workgroupBarrier();    // error workgroup_uniformity:
}

fn in_a_branch_of_a_uniform_condition() {
  if same[0] > 1 {
    workgroupBarrier();
  } else if same[1] > 1 {
    workgroupBarrier();
  } else {
    workgroupBarrier();
  }
}

fn in_a_chain() {
  if same[0] > 1 {
    workgroupBarrier();
  } else if own > 1 {
    workgroupBarrier();  // error workgroup_uniformity:
  } else if same[1] > 1 {
    workgroupBarrier();  // error workgroup_uniformity:
  } else {
    workgroupBarrier();  // error workgroup_uniformity:
  }
  workgroupBarrier();
}

// The inner `if`, that of the `else`, always goes on: what it tests does not matter.
fn a_chain_where_only_the_first_leaves() {
  if same[0] > 1 {
    return;
  } else if own > 1 {
    own = 3;
  }
  workgroupBarrier();
}

fn a_chain_where_a_later_one_leaves() {
  if same[0] > 1 {
    own = 3;
  } else if own > 1 {
    return;
  }
  workgroupBarrier();    // error workgroup_uniformity:
}

fn a_block_is_no_branch() {
  {
    if own > 1 {
      return;
    }
  }
  workgroupBarrier();    // error workgroup_uniformity:
}

// A discarded invocation goes on as a helper: control flow stays uniform.
fn discards() -> f32 {
  if own > 1 {
    discard;
  }
  return dpdx(1.0);
}
