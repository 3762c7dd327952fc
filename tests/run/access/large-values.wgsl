// Values with more parts than are kept as such: copied, passed, returned, compared
// with what came before.
// run: groups 1, in a = [0..99], out b = [7, 99, 107, 5, 50, 0, 4950, 3, 88, 1, 17, 55],
//   out c = [99, 1..98, 0]

struct Big { n : i32, a : array<i32, 100>, m : array<array<i32, 10>, 10> }

@group(0) @binding(0) var<storage, read_write> a : array<i32, 100>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;
@group(0) @binding(2) var<storage, read_write> c : array<i32, 100>;

var<private> kept : array<i32, 100>;
const big = array<i32, 100>();

fn sum(x : array<i32, 100>) -> i32 {
  var s = 0;
  for (var i = 0; i < 100; i++) { s += x[i]; }
  return s;
}

fn swap_ends(x : array<i32, 100>) -> array<i32, 100> {
  var y = x;
  y[0] = x[99];
  y[99] = x[0];
  return y;
}

fn clobber() -> i32 {
  kept[5] = 1;
  return 0;
}

fn first(x : array<i32, 100>, n : i32) -> i32 {
  return x[5] + n;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  kept = a;
  let before = a;
  a[7] = -1;
  b[0] = before[z + 7];
  let t = swap_ends(before);
  b[1] = t[z];
  var s = Big(107, t, array<array<i32, 10>, 10>());
  b[2] = s.n;
  b[3] = first(kept, clobber());
  let copy = s;
  s.a[50] = 0;
  s.m[3][4] = 17;
  b[4] = copy.a[z + 50];
  b[5] = copy.m[z + 3][z + 4] + big[z];
  b[6] = sum(before);
  b[7] = swap_ends(swap_ends(before))[z + 3];
  let part = s.m;
  s = Big(88, before, part);
  b[8] = s.n;
  b[9] = s.a[1];
  b[10] = s.m[z + 3][4];
  let pair = array(before, t);
  b[11] = pair[z + 1][55];
  c = t;
}
