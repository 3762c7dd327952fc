// Diagnostic filters: the nearest one around the call decides.
diagnostic(warning, derivative_uniformity);
enable subgroups;
var<private> own : u32;
@group(0) @binding(0) var<storage> same : array<u32>;

fn of_the_module() {
  if own > 1 {
    _ = dpdx(1.0);         // warning derivative_uniformity: 'dpdx'
    _ = subgroupElect();   // error subgroup_uniformity: 'subgroupElect'
  }
}

@diagnostic(off, derivative_uniformity)
fn of_a_function() {
  if own > 1 {
    _ = dpdx(1.0);
    _ = subgroupElect();   // error subgroup_uniformity:
  }
}

@diagnostic(error, derivative_uniformity) @diagnostic(info, subgroup_uniformity)
fn two_of_a_function() {
  if own > 1 {
    _ = dpdx(1.0);         // error derivative_uniformity:
    _ = subgroupElect();   // info subgroup_uniformity:
  }
}

fn of_a_body() @diagnostic(info, derivative_uniformity) {
  if own > 1 {
    _ = dpdx(1.0);         // info derivative_uniformity:
  }
}

fn the_innermost_counts() @diagnostic(off, derivative_uniformity) {
  if own > 1 {
    @diagnostic(error, derivative_uniformity) {
      _ = dpdx(1.0);       // error derivative_uniformity:
      @diagnostic(info, derivative_uniformity) {
        _ = dpdx(1.0);     // info derivative_uniformity:
      }
      _ = dpdy(1.0);       // error derivative_uniformity:
    }
    _ = dpdx(1.0);
  }
}

fn of_an_if() {
  let c = own > 1;
  if c {
    // Its conditions, all its clauses.
    @diagnostic(off, derivative_uniformity) if dpdx(1.0) > 1 {
      _ = dpdx(1.0);
    } else if dpdy(1.0) > 1 {
      _ = dpdx(1.0);
    } else {
      _ = dpdx(1.0);
    }
    if dpdx(1.0) > 1 @diagnostic(off, derivative_uniformity) {   // warning derivative_uniformity: 'dpdx'
      _ = dpdx(1.0);
    } else if dpdy(1.0) > 1 @diagnostic(info, derivative_uniformity) {  // warning derivative_uniformity: 'dpdy'
      _ = dpdx(1.0);       // info derivative_uniformity:
    } else @diagnostic(error, derivative_uniformity) {
      _ = dpdx(1.0);       // error derivative_uniformity:
    }
  }
}

fn of_a_switch() {
  if own > 1 {
    @diagnostic(off, derivative_uniformity) switch u32(dpdx(1.0)) {
      default: { _ = dpdy(1.0); }
    }
    switch u32(dpdx(1.0)) @diagnostic(off, derivative_uniformity) {  // warning derivative_uniformity: 'dpdx'
      case 1: { _ = dpdy(1.0); }
      default: { _ = dpdy(1.0); }
    }
    switch u32(dpdx(2.0)) {                                  // warning derivative_uniformity: 'dpdx'
      case 1: @diagnostic(off, derivative_uniformity) { _ = dpdy(1.0); }
      default: @diagnostic(info, derivative_uniformity) { _ = dpdy(1.0); }  // info derivative_uniformity: 'dpdy'
    }
  }
}

fn of_loops() {
  if own > 1 {
    @diagnostic(off, derivative_uniformity) loop {
      _ = dpdx(1.0);
      continuing { break if dpdx(1.0) > 1; }
    }
    loop @diagnostic(off, derivative_uniformity) {
      _ = dpdx(1.0);
      continuing { break if dpdx(1.0) > 1; }
    }
    loop {
      _ = dpdx(1.0);       // warning derivative_uniformity:
      continuing @diagnostic(off, derivative_uniformity) { break if dpdx(1.0) > 1; }
    }
    @diagnostic(off, derivative_uniformity) for (var i = dpdx(1.0); dpdx(i) > 1; i += dpdy(1.0)) {
      _ = dpdx(1.0);
    }
    for (var i = 1.0; i < 5.0; i += dpdy(1.0)) @diagnostic(off, derivative_uniformity) {  // warning derivative_uniformity: 'dpdy'
      _ = dpdx(1.0);
    }
    @diagnostic(off, derivative_uniformity) while dpdx(1.0) > 1 {
      _ = dpdx(1.0);
    }
    while dpdx(1.0) > 1 @diagnostic(off, derivative_uniformity) {    // warning derivative_uniformity: 'dpdx'
      _ = dpdx(1.0);
    }
  }
}

// The filter around the call of the builtin decides, not one around its callers.
fn samples() -> f32 {
  return dpdx(1.0);        // warning derivative_uniformity: 'dpdx'
}
@diagnostic(off, derivative_uniformity)
fn is_quiet() -> f32 {
  return dpdx(1.0);
}
@diagnostic(error, derivative_uniformity)
fn is_loud() -> f32 {
  return dpdx(1.0);        // error derivative_uniformity: 'dpdx'
}
@diagnostic(off, derivative_uniformity)
fn calls_them() {
  if own > 1 {
    _ = samples();
    _ = is_quiet();
    _ = is_loud();
  }
}

// Of what a function needs, callers break the most severe.
fn mixed() {
  _ = dpdx(1.0);
  @diagnostic(error, derivative_uniformity) {
    _ = dpdy(1.0);         // error derivative_uniformity: 'dpdy'
  }
}
fn calls_mixed() {
  if own > 1 {
    mixed();
  }
}

// An argument and control flow are needs of their own.
fn needs_two(x : u32) {
  @diagnostic(error, derivative_uniformity) {
    _ = fwidth(1.0);
  }
  if x > 1 {
    _ = dpdx(1.0);         // warning derivative_uniformity: 'dpdx'
  }
}
fn breaks_one_of_two() {
  needs_two(own);
}
