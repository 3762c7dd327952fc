// SPDX-License-Identifier: Apache-2.0
// Bitonic sort. While partners are less than 512 apart, a workgroup of 256 does all steps
// in shared memory; beyond, each step is a launch.
struct Stage {
  run: u32,       // elements that are to be sorted, up and down by turns
  apart: u32,     // how far partners are
}
@group(0) @binding(0) var<uniform> stage: Stage;
@group(0) @binding(1) var<storage, read_write> key: array<u32>;
var<workgroup> near: array<u32, 512>;

fn exchange_near(i: u32, apart: u32, up: bool) {
  let p = (i / apart) * 2u * apart + i % apart;
  let a = near[p];
  let b = near[p + apart];
  near[p] = select(max(a, b), min(a, b), up);
  near[p + apart] = select(min(a, b), max(a, b), up);
}

@compute @workgroup_size(256)
fn blocks(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = w.x * 512u;
  near[l] = key[base + l];
  near[l + 256u] = key[base + l + 256u];
  for (var run = 2u; run <= 512u; run *= 2u) {
    for (var apart = run / 2u; apart > 0u; apart /= 2u) {
      workgroupBarrier();
      exchange_near(l, apart, ((base + 2u * l) & run) == 0u);
    }
  }
  workgroupBarrier();
  key[base + l] = near[l];
  key[base + l + 256u] = near[l + 256u];
}

@compute @workgroup_size(256)
fn merge(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = w.x * 512u;
  let up = (base & stage.run) == 0u;
  near[l] = key[base + l];
  near[l + 256u] = key[base + l + 256u];
  for (var apart = 256u; apart > 0u; apart /= 2u) {
    workgroupBarrier();
    exchange_near(l, apart, up);
  }
  workgroupBarrier();
  key[base + l] = near[l];
  key[base + l + 256u] = near[l + 256u];
}

@compute @workgroup_size(256)
fn step(@builtin(global_invocation_id) id: vec3u) {
  let p = (id.x / stage.apart) * 2u * stage.apart + id.x % stage.apart;
  let up = (p & stage.run) == 0u;
  let a = key[p];
  let b = key[p + stage.apart];
  key[p] = select(max(a, b), min(a, b), up);
  key[p + stage.apart] = select(min(a, b), max(a, b), up);
}
