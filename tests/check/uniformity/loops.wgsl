// Control flow in loops: what an iteration does decides who starts the next.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;

// ---- who leaves ----

fn some_leave_after_it() {
  loop {
    workgroupBarrier();    // error workgroup_uniformity:
    if own > 1 {
      break;
    }
  }
  workgroupBarrier();
}

fn some_leave_before_it() {
  loop {
    if own > 1 {
      break;
    }
    workgroupBarrier();    // error workgroup_uniformity:
  }
  workgroupBarrier();
}

fn all_leave_together() {
  loop {
    workgroupBarrier();
    if same[0] > 1 {
      break;
    }
    workgroupBarrier();
  }
  workgroupBarrier();
}

fn some_return() {
  loop {
    if same[0] > 1 {
      break;
    }
    if own > 1 {
      return;
    }
  }
  workgroupBarrier();      // error workgroup_uniformity:
}

fn some_go_on_earlier() {
  loop {
    if same[0] > 1 {
      break;
    }
    if own > 1 {
      continue;
    }
    workgroupBarrier();    // error workgroup_uniformity:
  }
  workgroupBarrier();
}

// A loop that can only be left by returning has nothing after it.
fn only_returns() {
  loop {
    if own > 1 {
      return;
    }
  }
}

// ---- loops of one iteration ----

fn always_breaks() {
  loop {
    workgroupBarrier();
    if own > 1 {
      own = 2;
    }
    break;
  }
  workgroupBarrier();
}

fn breaks_on_all_ways() {
  loop {
    workgroupBarrier();
    if own > 1 {
      break;
    } else {
      break;
    }
  }
  workgroupBarrier();
}

fn breaks_or_returns() {
  loop {
    workgroupBarrier();
    if own > 1 {
      return;
    }
    break;
  }
  workgroupBarrier();      // error workgroup_uniformity:
}

fn breaks_or_all_return() {
  loop {
    if same[0] > 1 {
      return;
    }
    break;
  }
  workgroupBarrier();
}

fn a_while_of_one_iteration() {
  while own > 1 {
    break;
  }
  workgroupBarrier();
  while own > same[workgroup_wide()] {
    break;
  }
}
fn a_while_of_one_iteration_inside() {
  while own > 1 {
    if own > 2 {
      break;
    }
    return;
  }
}
fn workgroup_wide() -> u32 {
  workgroupBarrier();
  return 1;
}

// ---- continuing ----

fn break_if_after_it() {
  loop {
    workgroupBarrier();    // error workgroup_uniformity:
    continuing {
      workgroupBarrier();  // error workgroup_uniformity:
      break if own > 1;
    }
  }
  workgroupBarrier();
}

fn uniform_break_if() {
  loop {
    workgroupBarrier();
    continuing {
      workgroupBarrier();
      break if same[0] > 1;
    }
  }
  workgroupBarrier();
}

fn not_together_in_continuing() {
  loop {
    if own > 1 {
      continue;
    }
    own = 2;
    continuing {
      workgroupBarrier();  // error workgroup_uniformity:
      break if same[0] > 1;
    }
  }
}

fn continuing_is_never_reached() {
  loop {
    break;
    continuing {
      if own > 1 {
        workgroupBarrier();
      }
      break if own > 1;
    }
  }
  workgroupBarrier();
}

// ---- for and while ----

fn for_with_a_uniform_condition() {
  for (var i = 0u; i < same[0]; i++) {
    workgroupBarrier();
  }
  workgroupBarrier();
}

fn for_with_another_condition() {
  for (var i = 0u; i < own; i++) {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  workgroupBarrier();
}

fn for_with_an_update_that_differs() {
  for (var i = 0u; i < 10; i += own) {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn for_with_an_initializer_that_differs() {
  for (var i = own; i < 10; i++) {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn for_without_condition() {
  for (var i = 0u; ; i++) {
    workgroupBarrier();
    if i > same[0] {
      break;
    }
  }
  workgroupBarrier();
}

fn for_that_some_leave() {
  for (var i = 0u; i < 10; i++) {
    if own > i {
      return;
    }
  }
  workgroupBarrier();      // error workgroup_uniformity:
}

fn while_with_a_uniform_condition() {
  while same[0] > 1 {
    workgroupBarrier();
    if same[1] > 1 {
      continue;
    }
    workgroupBarrier();
  }
  workgroupBarrier();
}

fn while_with_another_condition() {
  while own > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  workgroupBarrier();
}

fn while_that_some_continue() {
  while same[0] > 1 {
    if own > 1 {
      continue;
    }
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn a_condition_that_differs_and_a_return() {
  while own > 1 {
    return;
  }
  workgroupBarrier();      // error workgroup_uniformity:
}

// ---- loops in loops ----

fn the_inner_one_is_left_by_all_in_the_end() {
  loop {
    loop {
      if own > 1 {
        break;
      }
    }
    workgroupBarrier();
    if same[0] > 1 {
      break;
    }
  }
}

fn the_inner_one_is_in_a_divergent_one() {
  for (var i = 0u; i < own; i++) {
    for (var k = 0u; k < same[0]; k++) {
      workgroupBarrier();  // error workgroup_uniformity:
    }
  }
}
