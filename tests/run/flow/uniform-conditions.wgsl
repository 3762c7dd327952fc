// Barriers under conditions that are uniform, though it takes memory to see it: a
// variable, an array, a large value that was loaded for the whole workgroup.
// run: groups 2, in a = [3, 1, 2, 5], out b = [16*46, 16*46]

@group(0) @binding(0) var<storage> a : array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
var<workgroup> w : array<u32, 16>;
var<workgroup> big : array<u32, 100>;

fn total(local : u32, x : u32) -> u32 {
  w[local] = x;
  workgroupBarrier();
  var sum = 0u;
  for (var k = 0u; k < 16; k++) { sum += w[k]; }
  workgroupBarrier();
  return sum;
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) local : u32, @builtin(workgroup_id) g : vec3u) {
  var counts : array<u32, 4>;
  var r = 0u;
  for (var k = 0u; k < 4; k++) { counts[k] = a[k]; }
  for (var k = 0u; k < counts[2]; k++) {
    if counts[k + 1] < 3 {
      r += total(local, 1) / 16;      // 1 and 1
    }
  }
  big[local + 20] = 2;
  let all = workgroupUniformLoad(&big);
  if all[20 + counts[0]] == 2 {
    r += total(local, 1) + 4;         // 20
  }
  let s = workgroupUniformLoad(&w[3]);
  loop {
    r += total(local, s) / 2;         // 8
    continuing { break if counts[1] * s == 1; }
  }
  switch counts[3] {
    case 5: { r += total(local, 1); } // 16
    default: {}
  }
  b[g.x * 16 + local] = r;
}
