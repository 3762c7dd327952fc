// Workgroup memory that is written only in part, or by some invocations, or read before,
// starts as zero all the same, also after a workgroup that left other numbers there.
// run: groups 8, out b = [16*0], out c = [8*496]

var<workgroup> half : array<i32, 64>;
var<workgroup> some : array<i32, 32>;
var<workgroup> early : array<i32, 32>;
var<workgroup> whole : array<array<i32, 8>, 4>;

@group(0) @binding(0) var<storage, read_write> b : array<i32>;
@group(0) @binding(1) var<storage, read_write> c : array<i32>;

@compute @workgroup_size(8, 4)
fn main(@builtin(local_invocation_index) i : u32, @builtin(local_invocation_id) l : vec3u,
        @builtin(workgroup_id) g : vec3u) {
  let before = early[(i + 7) % 32];
  workgroupBarrier();
  half[i * 2] = 3;
  if i % 2 == 0 { some[i] = 5; }
  early[i] = 7;
  whole[l.y][l.x] = i32(i);
  workgroupBarrier();
  let odd = half[((i + 5) * 2 + 1) % 64] + some[((i + 4) | 1) % 32] + before;
  var sum = 0;
  for (var k = 0u; k < 32; k++) { sum += whole[k / 8][k % 8]; }
  if odd != 0 { b[i % 16] = odd; }
  c[g.x] = sum;
  workgroupBarrier();
  half[i] = 9;
  half[i + 32] = 9;
  some[i] = 9;
  early[i] = 9;
}
