// SPDX-License-Identifier: Apache-2.0
// Shortest paths between all pairs, by Floyd and Warshall: those through node `via`. Which
// of them are shorter is hard to foresee.
struct Step { nodes: u32, via: u32 }
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> distance: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= step.nodes || id.y >= step.nodes) { return; }
  let at = id.y * step.nodes + id.x;
  let around = distance[id.y * step.nodes + step.via] + distance[step.via * step.nodes + id.x];
  if (around < distance[at]) { distance[at] = around; }
}
