// Private variables start as their initialisers say, workgroup variables as zero;
// one workgroup does not see another's.
// run: groups 2, out b = [17, 0, 6, 120, 17, 0, 6, 120]

var<private> scale : i32 = 5;
var<private> zero : array<i32, 3>;
var<private> given : array<i32, 100> = array<i32, 100>();
var<private> three = vec3i(1, 2, 3);
var<workgroup> shared_sum : array<i32, 16>;

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i : u32, @builtin(workgroup_id) g : vec3u) {
  let was = shared_sum[i];
  scale += 12;
  given[i] += i32(i);
  workgroupBarrier();
  shared_sum[i] = given[i];
  workgroupBarrier();
  if i == 0 {
    var sum = was;
    for (var k = 0; k < 16; k++) { sum += shared_sum[k]; }
    b[g.x * 4] = scale;
    b[g.x * 4 + 1] = zero[1];
    b[g.x * 4 + 2] = three.x + three.y + three.z;
    b[g.x * 4 + 3] = sum;
  }
}
