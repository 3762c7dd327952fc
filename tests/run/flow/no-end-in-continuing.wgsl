// In the continuing part of a loop: calls of functions, loops and switches of which no
// way leads to the end of the text, because all leave before.
// run: groups 1, out b = [30, 56, 31, 25, 2]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn next(i : i32) -> i32 {
  if i % 2 == 0 { return i + 3; } else { return i * 2; }
}

fn by_calls() -> i32 {
  var n = 0;
  for (var i = b[0]; i < 20; i = next(i)) {
    if i == 6 { continue; }
    n += i;
  }
  return n;
}

fn by_loops() -> i32 {
  var i = b[0] + 1;
  var n = 0;
  loop {
    n++;
    if n == 3 { continue; }
    continuing {
      loop {
        if i > 5 { i *= 2; break; } else { i = i * 3 + 1; break; }
      }
      break if i > 30;
    }
  }
  return i + n;
}

fn step(i : i32) -> i32 {
  switch i {
    case 0 { return 1; }
    case 1, 2 { return 5; }
    default { return i + 7; }
  }
}

fn by_switches() -> i32 {
  var i = b[0];
  var n = 0;
  loop {
    n++;
    if n == 2 { continue; }
    continuing {
      i = step(i);
      break if i > 20;
    }
  }
  return i + n;
}

fn found(at : i32) -> i32 {
  for (var k = at; ; k++) {
    if k % 5 == 0 { return k; }
    if k > 100 { return -1; }
  }
}

fn by_loops_in_calls() -> i32 {
  var i = b[0] + 1;
  var n = 0;
  loop {
    n++;
    if n == 2 { continue; }
    continuing {
      i = found(i) + 1;
      break if i > 20;
    }
  }
  return i + n;
}

fn in_ifs() -> i32 {
  var i = b[0];
  var n = 0;
  loop {
    n++;
    if n == 2 { continue; }
    continuing {
      if n > 1 {
        i = next(i);
      } else {
        loop {
          if i == 0 { i = 4; break; } else { break; }
        }
      }
      break if i > 6;
    }
  }
  return n;
}

@compute @workgroup_size(1)
fn main() {
  let a = array(by_calls(), by_loops(), by_switches(), by_loops_in_calls(), in_ifs());
  for (var i = 0; i < 5; i++) { b[i] = a[i]; }
}
