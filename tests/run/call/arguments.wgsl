// Arguments are evaluated once, left to right; parameters shadow nothing.
// run: groups 1, out b = [123, 321, 6, 10, 55]

var<private> log : i32;
@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn note(n : i32) -> i32 {
  log = log * 10 + n;
  return n;
}

fn three(a : i32, b : i32, c : i32) -> i32 {
  return a * 100 + b * 10 + c;
}

fn depth0(n : i32) -> i32 { return n + 1; }
fn depth1(n : i32) -> i32 { return depth0(n) + depth0(n + 1); }
fn depth2(n : i32) -> i32 { return depth1(n) + depth1(depth0(n)); }

fn fib(n : i32) -> i32 {
  var x = 0;
  var y = 1;
  for (var i = 0; i < n; i++) {
    let t = x + y;
    x = y;
    y = t;
  }
  return x;
}

@compute @workgroup_size(1)
fn main() {
  _ = three(note(1), note(2), note(3));
  b[0] = log;
  log = 0;
  b[1] = three(note(3), note(2), note(1));
  b[2] = note(1) + note(2) + note(3);
  b[3] = depth2(0) + 2;
  b[4] = fib(10);
}
