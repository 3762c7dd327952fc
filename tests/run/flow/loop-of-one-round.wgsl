// A loop goes round once. Those that continue go on behind it; the others have returned, as
// the body ends without another round.
// run: entry after_an_if, in a = [0, 1, 0, 1, 2, 1], out b = [0, 7, 0, 7, 0, 7]
// run: entry after_a_switch, in a = [0, 1, 0, 1, 2, 1], out b = [0, 7, 0, 7, 0, 7]
// run: entry after_loops, in a = [0, 1, 0, 1, 2, 1], out b = [2, 7, 2, 7, 2, 7]
// run: entry by_break, in a = [0, 1, 0, 1, 2, 1], out b = [0, 7, 0, 7, 8, 7]
@group(0) @binding(0) var<storage, read> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(6)
fn after_an_if(@builtin(local_invocation_index) i : u32) {
  var k = 0u;
  while (k < 1) {
    k++;
    if (a[i] == 1) {
      switch (a[i]) {
        case 1: { continue; }
        default: { b[i] = 3; }
      }
    }
    return;
  }
  b[i] = 7;
}

@compute @workgroup_size(6)
fn after_a_switch(@builtin(local_invocation_index) i : u32) {
  var k = 0u;
  while (k < 1) {
    k++;
    switch (a[i]) {
      case 1: {
        if (b[i] == 0) {
          continue;
        }
      }
      default: { }
    }
    return;
  }
  b[i] = 7;
}

@compute @workgroup_size(6)
fn after_loops(@builtin(local_invocation_index) i : u32) {
  var k = 0u;
  while (k < 1) {
    k++;
    if (a[i] == 1) {
      for (var n = 0u; n < 3; n++) {
        b[i] += n;
      }
      continue;
    }
    for (var n = 0u; n < 3; n++) {
      b[i] = n;
    }
    return;
  }
  b[i] = 7;
}

// It ends the loop for some, who go on.
@compute @workgroup_size(6)
fn by_break(@builtin(local_invocation_index) i : u32) {
  var k = 0u;
  var x = 7u;
  while (k < 1) {
    k++;
    switch (a[i]) {
      case 0: { return; }
      case 1: {
        if (b[i] == 0) {
          continue;
        }
      }
      default: { }
    }
    x = 8;
    break;
  }
  b[i] = x;
}
