// SPDX-License-Identifier: Apache-2.0
//
// life - one generation of Conway's game of life on a torus.
//
// in     size: of the board; now: one u32 a cell, 1 alive, 0 dead
// out    next: the board one generation later
// groups ceil(width / 8) x ceil(height / 8)

@group(0) @binding(0) var<uniform> size : vec2u;
@group(0) @binding(1) var<storage, read> now : array<u32>;
@group(0) @binding(2) var<storage, read_write> next : array<u32>;

// The board has no edge: what leaves on the right comes back on the left.
fn alive(x : u32, y : u32) -> u32 {
  return now[(y % size.y) * size.x + x % size.x];
}

fn neighbours(x : u32, y : u32) -> u32 {
  var count = 0u;
  for (var dy = 0u; dy < 3u; dy++) {
    for (var dx = 0u; dx < 3u; dx++) {
      if dx != 1u || dy != 1u {
        count += alive(x + size.x + dx - 1u, y + size.y + dy - 1u);
      }
    }
  }
  return count;
}

@compute @workgroup_size(8, 8)
fn life(@builtin(global_invocation_id) id : vec3u) {
  if any(id.xy >= size) {
    return;
  }
  let count = neighbours(id.x, id.y);
  let lives = count == 3u || (count == 2u && alive(id.x, id.y) == 1u);
  next[id.y * size.x + id.x] = u32(lives);
}
