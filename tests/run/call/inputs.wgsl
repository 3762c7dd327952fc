// The builtin inputs, as parameters and in a structure.
// run: entry ids, groups 2 2 1, out b = [1, 1, 1, 3, 3, 1, 1, 1, 0, 2, 2, 1,
//   1, 0, 0, 3, 2, 0, 1, 1, 0, 2, 2, 1]
// run: entry linear, groups 2 3 2, out l = [0..95]
// run: entry subgroups, groups 1, subgroup 4, out b = [0, 4, 0, 3, 1, 4, 0, 3, 2, 4, 0, 3, 3, 4, 0, 3,
//   0, 4, 1, 3, 1, 4, 1, 3, 2, 4, 1, 3, 3, 4, 1, 3, 0, 4, 2, 3, 1, 4, 2, 3]

enable subgroups;

@group(0) @binding(0) var<storage, read_write> b : array<u32>;
@group(0) @binding(1) var<storage, read_write> l : array<u32>;

struct In {
  @builtin(workgroup_id) group : vec3u,
  @builtin(num_workgroups) groups : vec3u,
}

@compute @workgroup_size(2, 2, 2)
fn ids(@builtin(local_invocation_id) local : vec3u, in : In,
       @builtin(global_invocation_id) global : vec3u,
       @builtin(local_invocation_index) index : u32) {
  if in.group.x + in.group.y * 2 != 3 || (index != 7 && index != 1) { return; }
  let at = select(12u, 0u, index == 7);
  for (var i = 0u; i < 3; i++) {
    b[at + i] = local[i];
    b[at + 3 + i] = global[i];
    b[at + 6 + i] = in.group[i];
    b[at + 9 + i] = in.groups[i];
  }
}

@compute @workgroup_size(4, 1, 2)
fn linear(@builtin(global_invocation_index) i : u32, @builtin(workgroup_index) g : u32,
          @builtin(global_invocation_id) id : vec3u, @builtin(workgroup_id) w : vec3u,
          @builtin(num_workgroups) n : vec3u) {
  let here = id.x + id.y * 8 + id.z * 8 * 3;
  let group = w.x + w.y * n.x + w.z * n.x * n.y;
  l[here] = i + (g - group);
}

@compute @workgroup_size(10)
fn subgroups(@builtin(subgroup_invocation_id) lane : u32, @builtin(subgroup_size) size : u32,
             @builtin(subgroup_id) id : u32, @builtin(num_subgroups) count : u32,
             @builtin(local_invocation_index) i : u32) {
  b[i * 4] = lane;
  b[i * 4 + 1] = size;
  b[i * 4 + 2] = id;
  b[i * 4 + 3] = count;
}
