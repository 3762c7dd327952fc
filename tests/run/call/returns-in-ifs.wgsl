// Returns from ifs alone: guards, chains, nested, with what follows on one way.
// run: groups 1, in a = [-3, -1, 0, 1, 2, 5, 9, 100], out b = [
//   -1, -1, 0, 1, 1, 1, 1, 1,
//   100, 100, 200, 301, 302, 305, 409, 500,
//   3, 1, 0, 2, 4, 10, 18, 200,
//   7, 7, 7, 1, 2, 5, 9, 100,
//   1, 2, 3, 4, 5, 6, 7, 8,
//   -3, 11, 0, 1, 22, 5, 9, 100,
//   0, 1, 2, 1, 2, 5, 9, 100]

@group(0) @binding(0) var<storage> a : array<i32, 8>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;

fn sign_of(x : i32) -> i32 {
  if x < 0 { return -1; }
  if x > 0 { return 1; }
  return 0;
}

fn chain(x : i32) -> i32 {
  if x < 0 {
    return 100;
  } else if x == 0 {
    return 200;
  } else if x < 9 {
    let y = x + 300;
    return y;
  } else {
    if x > 50 { return 500; }
  }
  return 400 + x;
}

fn goes_on(x : i32) -> i32 {
  var y = x;
  if x < 0 {
    y = -x;
    if y > 50 { return 0; }
  } else {
    return 2 * x;
  }
  y *= 2;
  { y /= 2; { if y == 50 { return 51; } } }
  return y;
}

fn void_guard(i : u32, x : i32) {
  if x <= 0 { b[24 + i] = 7; return; }
  b[24 + i] = x;
}

struct Pair { p : i32, q : array<i32, 2> }

fn pair(i : i32) -> Pair {
  if i == 3 { return Pair(4, array(0, 0)); }
  if i > 3 { return Pair(i, array(0, 1)); }
  return Pair(0, array(i, 1));
}

fn big(x : i32) -> array<i32, 70> {
  var r : array<i32, 70>;
  if x == -1 { r[3] = 11; return r; }
  if x == 2 { r[3] = 22; return r; }
  r[3] = x;
  return r;
}

fn with_loop(x : i32, i : i32) -> i32 {
  if x > 0 { return x; }
  var n = 0;
  for (var k = 0; k < 10; k++) {
    if k == i { break; }
    n++;
  }
  return n;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i : u32) {
  let x = a[i];
  b[i] = sign_of(x);
  b[8 + i] = chain(x);
  b[16 + i] = goes_on(x);
  void_guard(i, x);
  let p = pair(i32(i));
  b[32 + i] = p.p + p.q[0] + p.q[1];
  b[40 + i] = big(x)[i32(i) - i32(i) + 3];
  b[48 + i] = with_loop(x, i32(i));
}
