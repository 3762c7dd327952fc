// The lanes that a condition leaves out keep the bits that they had: each invocation's number
// has one of its bits replaced, but the first two. Combined, one wrong lane is seen.
// run: groups 1, out a = [1087]

@group(0) @binding(0) var<storage, read_write> a : array<atomic<u32>>;

@compute @workgroup_size(16, 4)
fn main(@builtin(local_invocation_id) at : vec3u, @builtin(num_workgroups) n : vec3u) {
  let me = at.y * (n.x * 16u) + at.x;
  for (var i = 0; i < 5; i++) {
    if me != 0u {
      atomicOr(&a[0], select(insertBits(me, me, 10u, 1u), me, i32(me) <= 1));
    }
    if me % 3u == 1u { break; }
  }
}
