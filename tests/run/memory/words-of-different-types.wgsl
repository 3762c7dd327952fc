// Fields that follow each other, numbers of different types, stored by each invocation.
// run: groups 2, in a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
//   out b = [0.5, 1, 1, 2, 1.5, 3, 2, 4, 2.5, 5, 3, 6, 3.5, 7, 4, 8, 4.5, 9, 5, 10, 5.5, 11, 6,
//   12, 6.5, 13, 7, 14, 7.5, 15, 8, 16]

struct Both { half : f32, whole : u32 }

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<Both>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u) {
  b[id.x] = Both(f32(a[id.x]) * 0.5, a[id.x]);
}
