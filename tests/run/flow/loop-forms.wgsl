// loop with and without continuing and break-if, for without parts, while.
// run: groups 1, out b = [10, 45, 5, 8, 3, 16, 120]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn bare() -> i32 {
  var i = 0;
  loop {
    if i >= 10 { break; }
    i++;
  }
  return i;
}

fn with_continuing() -> i32 {
  var sum = 0;
  var i = 0;
  loop {
    if i == 10 { break; }
    sum += i;
    continuing {
      i += 1;
    }
  }
  return sum;
}

fn with_break_if() -> i32 {
  var n = 0;
  loop {
    n++;
    continuing {
      break if n == 5;
    }
  }
  return n;
}

fn for_without_parts() -> i32 {
  var n = 1;
  for (;;) {
    n *= 2;
    if n > 5 { break; }
  }
  return n;
}

fn while_and_continue() -> i32 {
  var odd = 0;
  var i = 0;
  while i < 6 {
    i++;
    if i % 2 == 0 { continue; }
    odd++;
  }
  return odd;
}

fn nested() -> i32 {
  var n = 0;
  for (var i = 0; i < 5; i++) {
    for (var k = 0; ; k++) {
      if k > i { break; }
      if k == 2 { continue; }
      n++;
      if n == 100 { return -1; }
    }
    if i == 7 { break; }
    n += 1;
  }
  return n - 1;
}

fn factorial(n : i32) -> i32 {
  var f = 1;
  for (var i = n; i > 1; i--) { f *= i; }
  return f;
}

@compute @workgroup_size(1)
fn main() {
  b[0] = bare();
  b[1] = with_continuing();
  b[2] = with_break_if();
  b[3] = for_without_parts();
  b[4] = while_and_continue();
  b[5] = nested();
  b[6] = factorial(5);
}
