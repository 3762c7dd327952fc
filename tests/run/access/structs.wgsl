// Members of structures in values and in memory; structures in structures.
// run: groups 1, in a = [1, 2, 3, 4, 5, 6, 7, 8], out b = [1, 2, 8, 4, 30, 7, 12, 11, 5],
//   out s = [1, 2, 3, 4, 50, 6, 7, 9]

struct Inner { p : vec3f, q : f32 }
struct Outer { i : Inner, j : array<Inner, 1> }

@group(0) @binding(0) var<storage> a : Outer;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;
@group(0) @binding(2) var<storage, read_write> s : Outer;

fn change(i : ptr<function, Inner>, n : f32) -> f32 {
  (*i).q = n;
  i.p.x += 1;
  return i.p[0];
}

fn make(n : f32) -> Inner {
  return Inner(vec3f(n), 2 * n);
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = a.i.p.x;
  let x = a;
  b[1] = x.i.p.y;
  b[2] = x.j[z].q;
  var y = x.i;
  b[3] = y.q;
  b[4] = change(&y, 30) * 0 + y.q;
  b[5] = x.j[0].p.z;
  b[6] = make(6).q;
  var o = Outer(make(1), array(x.i));
  o.j[z] = Inner(vec3f(11), 1);
  b[7] = o.j[0].p.y;
  o.i = x.j[z];
  b[8] = o.i.p.x;
  s = x;
  s.j[0].p.x *= 10;
  s.j[z].q = 9;
}
