// Operands and the sides of assignments are evaluated left to right.
// run: groups 1, out b = [1, 11, 3, 2, 13, 5, 40]

var<private> n : i32;
@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn next() -> i32 {
  n += 1;
  return n;
}

fn put(x : i32) -> i32 {
  n = x;
  return x;
}

@compute @workgroup_size(1)
fn main() {
  b[next() - 1] = n;          // the index first: b[0] = 1
  n = 1;
  b[1] = n + put(10);         // 1 + 10
  n = 0;
  b[2] = next() + next();     // 1 + 2
  n = 3;
  b[n] = next() - 2;          // b[3] = 4 - 2
  var a = array(0, 0, 0);
  n = 0;
  a[next()] += n * 3;         // a[1] += 1 * 3
  a[next()] += 10;            // a[2]
  b[4] = a[1] + a[2];
  n = 2;
  var x = 3;
  x += next() - 1;            // 3 + (3 - 1)
  b[5] = x;
  n = 4;
  n *= put(10);               // 4 * 10: the old value was read first
  b[6] = n;
}
