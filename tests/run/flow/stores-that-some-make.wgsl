// Some invocations replace what they have read; what others have read stays.
// run: groups 3, in a = [3, 1, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0, 29,
//   27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 30, 28, 26, 24], out b = [0, 1, 11, 5,
//   22, 16, 10, 4, 18, 15, 9, 3, 10, 8, 6, 2, 2, 0, 7, 1, 18, 12, 6, 0, 17, 11, 5, 11, 9, 7, 4,
//   3, 1, 9, 3, 20, 14]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
var<workgroup> own : array<u32, 16>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_index) l : u32) {
  own[l] = (id.x * 17u) % 23u;
  workgroupBarrier();
  let here = own[l];
  let other = a[id.x];
  if other < here { own[l] = other; }
  workgroupBarrier();
  if id.x < arrayLength(&b) { b[id.x] = own[l]; }
}
