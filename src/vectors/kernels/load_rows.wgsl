// SPDX-License-Identifier: Apache-2.0
// Gets rows from the blocks of a segment: the inverse of store_rows.
//
//   data    [blocks][dim][16]
//   slots   [rows]              16 * block + lane; NO_SLOT: another segment has the row
//   y       [rows][dim]
//
// An invocation is a row.
struct Params { rows : u32, dim : u32 }

const NO_SLOT = 0xffffffffu;

@group(0) @binding(0) var<storage, read> data : array<f32>;
@group(0) @binding(1) var<storage, read> slots : array<u32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
@group(0) @binding(3) var<uniform> p : Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let row = id.x;
  if (row >= p.rows || slots[row] == NO_SLOT) { return; }
  let slot = slots[row];
  let at = slot / 16u * p.dim * 16u + slot % 16u;
  for (var d = 0u; d < p.dim; d++) {
    y[row * p.dim + d] = data[at + d * 16u];
  }
}
