// SPDX-License-Identifier: Apache-2.0
// Prefix sums. A block of 1,024 elements is one workgroup's: four an invocation, then sums
// over twice as many invocations at every step. A second kernel does the same for the sums
// of the blocks, a third adds what came before a block to it.
@group(0) @binding(0) var<storage, read> x: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> block: array<u32>;
var<workgroup> a: array<u32, 256>;

// What all invocations before this one have together.
fn before_me(mine: u32, l: u32) -> u32 {
  a[l] = mine;
  workgroupBarrier();
  for (var s = 1u; s < 256u; s *= 2u) {
    var more = 0u;
    if (l >= s) { more = a[l - s]; }
    workgroupBarrier();
    a[l] += more;
    workgroupBarrier();
  }
  return a[l] - mine;
}

@compute @workgroup_size(256)
fn blocks(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u,
          @builtin(local_invocation_index) l: u32) {
  var v = x[id.x];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  let before = before_me(v.w, l);
  y[id.x] = v + vec4u(before);
  if (l == 255u) { block[w.x] = before + v.w; }
}

@compute @workgroup_size(256)
fn sums(@builtin(local_invocation_index) l: u32) {
  let n = arrayLength(&block);
  let share = (n + 255u) / 256u;
  let first = min(l * share, n);
  let last = min(first + share, n);
  var mine = 0u;
  for (var i = first; i < last; i++) { mine += block[i]; }
  var sum = before_me(mine, l);
  for (var i = first; i < last; i++) {
    let v = block[i];
    block[i] = sum;
    sum += v;
  }
}

@compute @workgroup_size(256)
fn add(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u) {
  y[id.x] += vec4u(block[w.x]);
}
