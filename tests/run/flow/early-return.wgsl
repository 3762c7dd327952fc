// return from inside loops, switches and nested blocks; with large results, too.
// run: groups 1, out b = [3, -1, 7, 40, 5, 99, 64, 36]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn find(n : i32) -> i32 {
  for (var i = 0; i < 10; i++) {
    for (var k = 0; k < 10; k++) {
      if i * k == n { return i + k; }
    }
  }
  return -1;
}

fn classify(n : i32) -> i32 {
  {
    {
      if n < 0 { return 7; }
    }
    switch n {
      case 4: { return 40; }
      default: {}
    }
  }
  return n;
}

fn nothing(p : ptr<function, i32>) {
  if *p == 1 { *p = 99; return; }
  *p = 0;
}

fn big(n : i32) -> array<i32, 100> {
  var a : array<i32, 100>;
  if n == 0 { return a; }
  for (var i = 0; i < 100; i++) {
    a[i] = i * n;
    if i == 32 { return a; }
  }
  return a;
}

@compute @workgroup_size(1)
fn main() {
  b[0] = find(2);
  b[1] = find(97);
  b[2] = classify(-3);
  b[3] = classify(4);
  b[4] = classify(5);
  var x = 1;
  nothing(&x);
  b[5] = x;
  let a = big(2);
  b[6] = a[b[0] + 29];
  b[7] = big(0)[b[0]] + big(3)[12];
}
