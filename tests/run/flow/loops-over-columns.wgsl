// Long loops over columns that workgroups share. What comes before the test is done once a
// round, and once at the end.
// run: entry main, groups 4, in a = [66000*2], out rounds = [32*68], out sum = [32*134]
// run: entry given, groups 5, in a = [66000*2], in n = [50], out sum = [40*34]
// run: entry given, groups 2, in a = [66000*2], in n = [0], out sum = [16*0]
// run: entry given, groups 1, in a = [66000*2], in n = [-7], out sum = [8*0]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<uniform> n : i32;
@group(0) @binding(2) var<storage, read_write> rounds : array<u32>;
@group(0) @binding(3) var<storage, read_write> sum : array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) l : vec3u) {
  for (var k = 0u; ; k++) {
    rounds[id.x] += 1;
    if k < 67 {} else { break; }
    sum[id.x] += a[min(k, 63) * 1024 + l.x];
  }
}

@compute @workgroup_size(8)
fn given(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_id) l : vec3u) {
  for (var k = 0; k < n; k += 3) {
    sum[id.x] += a[u32(k) * 1024 + l.x];
  }
}
