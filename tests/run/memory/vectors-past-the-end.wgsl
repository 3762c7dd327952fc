// Vectors past the end of an array: what is read is some element, what is written is lost.
// run: groups 1,
//   out b = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
//     23, 24, 25, 26, 27, 28, 29, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30]

@group(0) @binding(0) var<storage, read_write> b : array<u32, 40>;
var<private> li : u32;
var<workgroup> w : array<u32, 32>;
var<workgroup> q : array<vec4u, 30>;

@compute @workgroup_size(4, 5, 2)
fn main(@builtin(local_invocation_index) index : u32) {
  li = index;
  workgroupBarrier();
  w[li] = 7u * li;
  q[li] += vec4u(li + 1u);
  workgroupBarrier();
  b[li] = q[min(li, 29u)].y;
}
