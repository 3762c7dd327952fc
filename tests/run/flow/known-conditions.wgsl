// Conditions that the pipeline knows choose code; both ways give the right code.
// run: override FAST = 1, override N = 3, out b = [1, 13, 3, 20]
// run: override FAST = 0, override N = 0, out b = [2, 10, 0, 21]

override FAST : bool;
override N : i32;

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn early() -> i32 {
  if FAST { return 1; }
  return 2;
}

fn endless() -> i32 {
  var i = 0;
  while true {
    i++;
    if i == 20 && FAST { return i; }
    if i > 20 { break; }
  }
  return i;
}

@compute @workgroup_size(1)
fn main() {
  b[0] = early();
  b[1] = 10;
  if N > 0 { b[1] += N; } else if N < 0 { b[1] = 0; }
  var n = 0;
  for (var i = 0; N > 0; i++) {
    if i == N { break; }
    n++;
  }
  b[2] = n;
  b[3] = endless();
}
