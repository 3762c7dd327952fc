// One invocation sums what is before it.
// run: groups 1, in a = [1, 2, 3, 4], out b = [1, 3, 6, 10]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0u;
  for (var i = 0u; i <= id.x; i++) {
    sum += a[i];
  }
  b[id.x] = sum;
}
