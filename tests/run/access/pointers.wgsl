// Pointers as parameters: into variables of every space, through several calls.
// run: groups 1, in a = [1, 2, 3, 4], out b = [11, 24, 3, 104, 9, 42, 5],
//   out s = [1, 7, 3]

struct S { x : i32, y : array<i32, 2> }

@group(0) @binding(0) var<storage, read_write> a : array<i32>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;
@group(0) @binding(2) var<storage, read_write> s : S;
var<private> p : array<i32, 4>;
var<workgroup> w : array<i32, 4>;

fn add(x : ptr<storage, array<i32>, read_write>, i : u32, n : i32) {
  (*x)[i] += n;
}

fn add_one(x : ptr<storage, i32, read_write>, n : i32) {
  *x += n;
}

fn bump(x : ptr<function, i32>) -> i32 {
  *x += 1;
  return *x;
}

fn bump_twice(x : ptr<function, array<i32, 3>>, i : i32) -> i32 {
  let q = &(*x)[i];
  return bump(q) + bump(q);
}

fn set_private(x : ptr<private, i32>) { *x = 42; }
fn set_shared(x : ptr<workgroup, array<i32, 4>>, i : u32) { x[i] = 5; }
fn set_member(x : ptr<storage, S, read_write>, i : i32) { x.y[i] = 7; (*x).x = 1; }

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  add(&a, z, 10);
  add_one(&a[z + 1], 22);
  b[0] = a[0];
  b[1] = a[1];
  b[2] = a[2];
  let q = &a[3];
  add_one(q, 100);
  b[3] = *q;
  var x = array(1, 3, 5);
  let i = i32(z) + 1;
  let r = &x[i];
  b[4] = bump_twice(&x, i);
  _ = bump(r);
  b[4] += *r - 6;
  set_private(&p[z + 2]);
  b[5] = p[2];
  set_shared(&w, z + 1);
  b[6] = w[1];
  set_member(&s, i32(z));
  s.y[1] = 3;
}
