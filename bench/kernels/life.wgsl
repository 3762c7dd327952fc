// SPDX-License-Identifier: Apache-2.0
// One generation of the Game of Life on a torus.
const width = 2048u;
const height = 1024u;
@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

fn cell(x: u32, y: u32) -> u32 { return now[(y % height) * width + x % width]; }

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = id.x + width;
  let y = id.y + height;
  let around = cell(x - 1u, y - 1u) + cell(x, y - 1u) + cell(x + 1u, y - 1u)
             + cell(x - 1u, y) + cell(x + 1u, y)
             + cell(x - 1u, y + 1u) + cell(x, y + 1u) + cell(x + 1u, y + 1u);
  next[id.y * width + id.x] = select(0u, 1u, around == 3u || (around == 2u && cell(x, y) == 1u));
}
