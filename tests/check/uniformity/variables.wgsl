// What a variable of a function holds is followed from assignment to use.
struct Pair { a : u32, b : u32 }
struct One { a : u32 }
@group(0) @binding(0) var<storage> same : array<u32>;
@group(0) @binding(1) var<storage> same_pair : Pair;
var<private> own : u32;
var<private> own_pair : Pair;

fn the_last_assignment_counts() {
  var x = own;
  x = same[0];
  if x > 1 {
    workgroupBarrier();
  }
  x = own;
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  x = 3;
  if x > 1 {
    workgroupBarrier();
  }
}

fn a_variable_starts_at_zero() {
  var x : u32;
  if x > 1 {
    workgroupBarrier();
  }
  if own > 1 {
    var y : u32;
    x = y;
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn compound_assignments_keep_the_past() {
  var x = same[0];
  x += same[1];
  x++;
  if x > 1 {
    workgroupBarrier();
  }
  x *= own;
  x--;
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn through_another_variable() {
  var x = own;
  var y = x;
  x = 1;
  if x > 1 {
    workgroupBarrier();
  }
  if y > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

// ---- branches ----

fn assigned_in_one_branch() {
  var x = same[0];
  if same[1] > 1 {
    x = same[2];
  }
  if x > 1 {
    workgroupBarrier();
  }
  if same[1] > 1 {
    x = own;
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn assigned_in_all_branches() {
  var x = own;
  if same[1] > 1 {
    x = same[2];
  } else if same[3] > 1 {
    x = 3;
  } else {
    x = 4;
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn not_assigned_in_one_of_them() {
  var x = own;
  if same[1] > 1 {
    x = same[2];
  } else if same[3] > 1 {
  } else {
    x = 4;
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn which_branch_differs() {
  var x = 1u;
  if own > 1 {
    x = 2;
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y = 1u;
  if own > 1 {
    y = 2;
  } else {
    y = 2;
  }
  if y > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn the_branch_that_assigns_leaves() {
  var x = 1u;
  if same[0] > 1 {
    x = own;
    return;
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn the_branch_that_does_not_assign_leaves() {
  var x = own;
  if same[0] > 1 {
    x = 3;
  } else {
    return;
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn a_let_keeps_its_value() {
  var x = own;
  let before = x;
  x = 1;
  let after = x;
  if after > 1 {
    workgroupBarrier();
  }
  if before > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

// ---- loops ----

fn changed_by_the_iteration_before() {
  var x = 1u;
  loop {
    if x > 1 {
      workgroupBarrier();  // error workgroup_uniformity:
    }
    x = own;
    if same[0] > 1 {
      break;
    }
  }
}

fn changed_in_continuing() {
  var x = 1u;
  loop {
    if x > 1 {
      workgroupBarrier();  // error workgroup_uniformity:
    }
    continuing {
      x = own;
      break if same[0] > 1;
    }
  }
}

fn set_anew_by_each_iteration() {
  var x = own;
  loop {
    x = same[1];
    if x > 1 {
      workgroupBarrier();
    }
    continuing {
      if x > 1 {
        workgroupBarrier();
      }
      break if same[0] > 1;
    }
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn how_many_iterations_differs() {
  var x = 1u;
  loop {
    x = same[1];
    continuing {
      break if own > 1;
    }
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn values_at_breaks() {
  var x = own;
  loop {
    if same[0] > 1 {
      x = same[1];
      break;
    }
    if same[1] > 1 {
      x = 2;
      break;
    }
  }
  if x > 1 {
    workgroupBarrier();
  }
  loop {
    if same[0] > 1 {
      x = own;
      break;
    }
    x = 1;
    if same[1] > 1 {
      break;
    }
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn a_break_before_the_change() {
  var x = 1u;
  loop {
    if same[0] > 1 {
      break;
    }
    x = own;
  }
  if x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn values_at_continues() {
  var x = 1u;
  loop {
    if same[0] > 1 {
      x = own;
      continue;
    }
    x = 2;
    continuing {
      if x > 1 {
        workgroupBarrier();  // error workgroup_uniformity:
      }
      x = 3;
      break if same[1] > 1;
    }
  }
  if x > 1 {
    workgroupBarrier();
  }
}

fn variables_of_the_body_in_continuing() {
  loop {
    var x = same[0];
    var y = same[0];
    if same[1] > 1 {
      x = own;
    }
    y = same[2];
    continuing {
      if y > 1 {
        workgroupBarrier();
      }
      if x > 1 {
        workgroupBarrier();  // error workgroup_uniformity:
      }
      break if same[1] > 1;
    }
  }
}

fn through_two_loops() {
  var x = 1u;
  for (var i = 0u; i < same[0]; i++) {
    if x > 1 {
      workgroupBarrier();  // error workgroup_uniformity:
    }
    for (var k = 0u; k < same[1]; k++) {
      if k > same[2] {
        x = own;
        break;
      }
    }
  }
}

fn settled_before_the_outer_loop_goes_on() {
  var x = 1u;
  for (var i = 0u; i < same[0]; i++) {
    for (var k = 0u; k < same[1]; k++) {
      x = own;
    }
    x = same[2];
    if x > 1 {
      workgroupBarrier();
    }
  }
}

// ---- parts ----

fn a_part_does_not_settle_the_whole() {
  var x = own_pair;
  x.a = 1;
  x.b = 2;
  if x.a > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  x = same_pair;
  if x.a > 1 {
    workgroupBarrier();
  }
  x.b = own;
  if x.a > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn the_only_part_is_still_a_part() {
  var x = One(own);
  x.a = 1;
  if x.a > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  var y = array<u32, 1>(own);
  y[0] = 1;
  if y[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn components() {
  var x = vec3u(own);
  x.x = 1;
  x.y = 1;
  x.z = 1;
  if x.x > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
  x = vec3u(same[0]);
  x[1] = same[1];
  if x.z > 1 {
    workgroupBarrier();
  }
}

fn where_it_is_written_counts() {
  var x : array<u32, 4>;
  x[same[0]] = 1;
  if x[0] > 1 {
    workgroupBarrier();
  }
  x[own] = 1;
  if x[0] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}

fn where_it_is_read_counts() {
  var x : array<u32, 4>;
  if x[same[0]] > 1 {
    workgroupBarrier();
  }
  if x[own] > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
  }
}
