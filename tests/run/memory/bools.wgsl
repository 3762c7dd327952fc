// Truth values in every memory that can hold them.
// run: groups 1, out b = [1, 0, 1, 1, 0, 1, 1]

struct B { a : bool, v : vec2<bool> }
var<private> p : B = B(true, vec2(false, true));
var<workgroup> w : array<B, 2>;
@group(0) @binding(0) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  var f = array(true, false, true, true, false, z == 0);
  b[0] = u32(p.a);
  b[1] = u32(p.v[z]);
  b[2] = u32(p.v.y);
  w[z + 1].v[z] = f[z];
  w[1].a = w[z + 1].v.x;
  b[3] = u32(w[1].a);
  b[4] = u32(f[z + 4]);
  b[5] = u32(f[z + 5] == f[0]);
  b[6] = u32(f[1] != f[2] && ((f[z] | f[1]) & f[3]));
}
