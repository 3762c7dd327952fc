// Returns and breaks out of several loops and switches at once.
// run: groups 1, in a = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
//   out b = [
//     200, 201, 102, 102, 101, 205, 206, -1, 208, 209, 10, 211,
//     12, 9, 6, 15, 12, 1000, 6, 15, 12, 9, 6, 15,
//     22, 11, 22, 22, 4, 5, 6, 7, 8, 9, 10, 11,
//     3, 3, 3, 3, 6, 10, 15, 21, 28, 36, 45, -45]

@group(0) @binding(0) var<storage> a : array<i32>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;

// Out of a switch in two loops.
fn deep(n : i32) -> i32 {
  for (var i = 0; i < 5; i++) {
    for (var k = 0; k < 5; k++) {
      switch i * k {
        case 4, 6: { if n == k { return 100 + i; } }
        case 9: { return 200 + n; }
        default: { if n > 9 { continue; } }
      }
      if n == 10 && k == 2 { break; }
    }
    if n == 7 && i == 1 { return -i; }
  }
  return n;
}

// A call with ways out of its own, in a loop with others.
fn outer(n : i32) -> i32 {
  var sum = 0;
  loop {
    let d = deep(sum);
    switch d & 3 {
      case 0: { sum += 1; }
      case 1: { if n == 5 { return sum * 1000; } sum += 2; continue; }
      default: {
        loop {
          sum += 3;
          if sum > 20 + n { break; }
          if sum % 4 == n % 4 { return sum; }
          continuing { break if sum > 30; }
        }
      }
    }
    if sum > 25 { break; }
    continuing { sum += select(1, 0, d > 100); }
  }
  return sum * 10 + n;
}

// The loop never gets to its end.
fn once(n : i32) -> i32 {
  loop {
    if n > 3 { return n; }
    switch n { case 1: { return 11; } default: { return 22; } }
  }
}

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) at : u32) {
  let n = a[at];
  b[at] = deep(n);
  b[12 + at] = outer(n);
  b[24 + at] = once(n);
  var x = 0;
  while true {
    for (var i = 0; ; i++) {
      if i == n { break; }
      if x > 40 { b[36 + at] = -x; return; }
      x += i;
    }
    if x >= 3 { break; }
    x++;
  }
  b[36 + at] = x;
}
