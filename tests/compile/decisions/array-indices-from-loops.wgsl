// Arrays of one invocation that loops of known trip count index become values, also if the
// loops are nested, or hold barriers.
// weft compile --dump=vars --entry=one
// lacks: var .*sums
// lacks: loop
// weft compile --dump=vars --entry=nested
// lacks: var .*grid
// count 1: loop
// weft compile --dump=vars --entry=waits
// lacks: var .*sums
// weft compile --dump=facts --entry=one --lanes=8 --cpu=x86-64-v3
// lacks: private
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
var<workgroup> t : array<f32, 64>;

@compute @workgroup_size(64)
fn one(@builtin(global_invocation_id) id : vec3u) {
  var sums : array<f32, 4>;
  for (var i = 0u; i < 4; i++) { sums[i] = x[id.x * 4 + i]; }
  for (var i = 0u; i < 4; i++) { y[id.x * 4 + i] = sums[3 - i]; }
}

@compute @workgroup_size(64)
fn nested(@builtin(global_invocation_id) id : vec3u) {
  var grid : array<array<f32, 2>, 3>;
  for (var k = 0u; k < arrayLength(&x); k += 64) {
    for (var i = 0u; i < 3; i++) {
      for (var j = 0u; j < 2; j++) { grid[i][j] += x[k + i * 2 + j]; }
    }
  }
  y[id.x] = grid[0][0] * grid[1][1] + grid[2][0];
}

@compute @workgroup_size(64)
fn waits(@builtin(local_invocation_index) l : u32) {
  var sums = array<f32, 3>(1, 2, 3);
  for (var i = 0u; i < 3; i++) {
    t[l] = sums[i] + x[l];
    workgroupBarrier();
    sums[i] += t[63 - l];
    workgroupBarrier();
  }
  y[l] = sums[0] + sums[1] + sums[2];
}
