// workgroupUniformLoad of a scalar, a structure, an atomic and an array.
// run: groups 1, out b = [7, 1, 2, 4, 90, 7, 1, 2, 4, 90]

struct S { a : u32, v : vec2u }
var<workgroup> n : u32;
var<workgroup> s : S;
var<workgroup> a : atomic<u32>;
var<workgroup> l : array<u32, 100>;

@group(0) @binding(0) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i : u32) {
  if i == 1 {
    n = 7;
    s = S(1, vec2u(0, 2));
    l[90] = 90;
  }
  atomicAdd(&a, 2);
  b[i * 5] = workgroupUniformLoad(&n);
  let t = workgroupUniformLoad(&s);
  b[i * 5 + 1] = t.a;
  b[i * 5 + 2] = t.v.y;
  b[i * 5 + 3] = workgroupUniformLoad(&a);
  let whole = workgroupUniformLoad(&l);
  b[i * 5 + 4] = whole[i + 90 - i];
}
