// The first invocation's value, of floats that were computed and are computed with.
// run: entry all, subgroup 4, in a = [3, 4, 5, 6, 7, 8], out b = [6, 6, 6, 6, 14, 14]
// run: entry all, subgroup 8, in a = [3, 4, 5, 6, 7, 8], out b = [6, 6, 6, 6, 6, 6]
// run: entry some, subgroup 4, in a = [3, 4, 5, 6, 7, 8], out b = [0, 0, 10, 10, 14, 14]
// run: entry some, subgroup 8, in a = [3, 4, 5, 6, 7, 8], out b = [0, 0, 10, 10, 10, 10]

enable subgroups;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(6)
fn all(@builtin(local_invocation_index) i : u32) {
  b[i] = subgroupBroadcastFirst(f32(a[i])) * 2;
}

@compute @workgroup_size(6)
fn some(@builtin(local_invocation_index) i : u32) {
  if (i > 1) {
    b[i] = subgroupBroadcastFirst(f32(a[i])) * 2;
  }
}
