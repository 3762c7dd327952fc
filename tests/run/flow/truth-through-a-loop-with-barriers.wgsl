// A truth value that goes into a loop of the whole workgroup, and out of it.

// run: groups 1 2, in rounds = [0], out result = [5, 6, 5, 5, 6, 5, 5, 6, 5, 5]
// run: groups 1 2, in rounds = [1], out result = [6, 5, 5, 6, 5, 5, 6, 5, 5, 6]
@group(0) @binding(0) var<storage> rounds : array<u32>;
@group(0) @binding(1) var<storage, read_write> result : array<u32>;
var<workgroup> w : array<u32, 6>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i : u32, @builtin(workgroup_id) group : vec3u,
        @builtin(num_workgroups) groups : vec3u) {
  let me = (group.z * groups.y + group.y) * 5 + i;
  var yes = me % 3 == 1;
  for (var k = 0u; k < rounds[0]; k += 2) {
    let u = workgroupUniformLoad(&w[k]);
    var tries = u;
    loop {
      yes = me % 3 == 0;
      continuing {
        tries++;
        break if me % 2 == 1 || tries > 2;
      }
    }
  }
  result[me] = 5 + u32(yes);
}
