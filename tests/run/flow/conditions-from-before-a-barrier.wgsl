// Conditions and indices made before a barrier from what nobody uses after it, but for them.
// run: entry lengths, groups 1, out b = [107, 106, 105, 104, 103, 102, 101, 100]
// run: entry counts, groups 1, in how = [11, 3], out b = [3003, 3002, 3001, 3000, 3007, 3006,
//   3005, 3004, 3011, 3010, 3009, 7, 7, 7, 7, 7, 16, 17, 18, 19]
// run: entry counts, groups 1, in how = [20, 8], out b = [8008, 8009, 8010, 8011, 8012, 8013,
//   8014, 8015, 8000, 8001, 8002, 8003, 8004, 8005, 8006, 8007, 8024, 8025, 8026, 8027]
// run: entry partners, groups 1, in how = [5, 1], out b = [206, 105, 208, 107, 202, 101, 204,
//   103, 214, 113, 216, 115, 210, 109, 212, 111, 222, 121, 224, 123]
// run: entry partners, groups 1, in how = [18, 0], out b = [119, 120, 117, 118, 123, 124, 121,
//   122, 127, 128, 125, 126, 131, 132, 129, 130, 103, 104, 101, 102]

@group(0) @binding(0) var<storage> how : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

var<workgroup> t : array<u32, 32>;

@compute @workgroup_size(32)
fn lengths(@builtin(local_invocation_index) l : u32) {
  let n = arrayLength(&b);
  let inside = l < n;
  t[l] = select(100u + l, 0u, !inside);
  workgroupBarrier();
  if inside { b[l] = t[l ^ 7u]; }
}

// Between the two barriers others may take the place of how[0].
@compute @workgroup_size(32)
fn counts(@builtin(local_invocation_index) l : u32) {
  let n = how[0];
  let inside = l < n;
  if l < 20u { b[l] = select(l, 7u, l < 16u); }
  t[l] = l;
  workgroupBarrier();
  let by = how[1];
  let x = t[l ^ by];
  workgroupBarrier();
  if inside { b[l] = x + by * 1000u; }
}

@compute @workgroup_size(32)
fn partners(@builtin(local_invocation_index) l : u32) {
  let d = how[0];
  let partner = l ^ d;
  t[l] = l + 1u;
  workgroupBarrier();
  let even = how[1] & (partner ^ 1u) & 1u;
  workgroupBarrier();
  let x = t[partner];
  if l < 20u { b[l] = x + select(100u, 200u, even == 0u && how[1] == 1u); }
}
