// Vectors past the end of an array: some element of it is read and written, and nothing
// else. Whether the last one is the one depends on the device.
// run: groups 1, out b = [1..29, 11*_]

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
