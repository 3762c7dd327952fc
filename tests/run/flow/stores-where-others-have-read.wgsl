// One invocation stores where others have read, too, and do not store: it stays.
// run: entry rows, groups 1, in n = [1], out x = [0, 7, 0, 0, 0]
// run: entry rows, groups 3 2, in n = [2], out x = [0, 7, 0, 0, 0, 0, 0, 0, 0, 0]
// run: entry wraps, groups 1, in n = [0x80000000], out x = [0, 7, 0, 0, 0]
// run: entry elsewhere, groups 1, in n = [2], out x = [0, 0, 7, 9, 9, 9, 0, 0]
// run: entry known, groups 2, out x = [0, 0, 0, 0, 0, 7, 0, 0]
// run: entry nowhere, groups 1, in n = [0], out x = [7]
// run: entry around, groups 1, out x = [7, 0]
// run: entry tickets, groups 1, out x = [7], out next = [8]
// run: entry factors, groups 1, in words = [2, 2, 1, 1], out x = [0, 0, 7]
// run: entry views, groups 1, out y = [0, 0, 0, 7, 0, 0, 0, 0]
// run: entry ends, groups 1, out x = [32, 0]

requires buffer_view;

struct Word { @size(16) n : u32 }
@group(0) @binding(0) var<uniform> n : u32;
@group(0) @binding(1) var<storage, read_write> x : array<u32>;
@group(0) @binding(2) var<storage, read_write> next : atomic<u32>;
@group(0) @binding(3) var<storage, read_write> y : buffer<32>;
@group(0) @binding(4) var<uniform> words : array<Word, 4>;
var<workgroup> short : array<u32, 32>;
var<workgroup> beside : array<u32, 32>;

// Rows that are longer than from one to the next.
@compute @workgroup_size(4, 2)
fn rows(@builtin(global_invocation_id) id : vec3u) {
  let at = id.y * n + id.x;
  let old = x[at];
  if id.x == 1 && id.y == 0 { x[at] = old + 7; }
}

@compute @workgroup_size(4, 2)
fn known(@builtin(global_invocation_id) id : vec3u) {
  let at = id.y * 4 + id.x;
  let old = x[at];
  if id.x == 5 && id.y == 0 { x[at] = old + 7; }
}

// Rows of which every other one is at the same place.
@compute @workgroup_size(4, 4)
fn wraps(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= n { return; }
  let at = id.y * n + id.x;
  let old = x[at];
  if id.x == 1 && id.y == 0 { x[at] = old + 7; }
}

// Others store in the same row.
@compute @workgroup_size(4, 2)
fn elsewhere(@builtin(local_invocation_id) l : vec3u) {
  let at = l.y * n + l.x;
  if l.x < n {
    let old = x[at];
    if l.x == 0 && l.y == 1 { x[at] = old + 7; }
  } else if l.x == 3 || l.y == 1 {
    x[at] = 9;
  }
}

// Rows without any length.
@compute @workgroup_size(8)
fn nowhere(@builtin(local_invocation_id) l : vec3u) {
  let at = l.x * n;
  let old = x[at];
  if l.x == 2 { x[at] = old + 7; }
}

// Past the largest number.
@compute @workgroup_size(8)
fn around(@builtin(local_invocation_id) l : vec3u) {
  let at = l.x * 65536 * 65536;
  let old = x[at];
  if l.x == 2 { x[at] = old + 7; }
}

// An element for the workgroup: who comes first stores.
@compute @workgroup_size(8)
fn tickets(@builtin(workgroup_id) w : vec3u) {
  let ticket = atomicAdd(&next, 1);
  let old = x[w.x];
  if ticket == 0 { x[w.x] = old + 7; }
}

// Each invocation has a factor of its own.
@compute @workgroup_size(4)
fn factors(@builtin(local_invocation_id) l : vec3u) {
  let at = l.x * words[l.x].n;
  let old = x[at];
  if l.x == 1 { x[at] = old + 7; }
}

// Elements of views that start elsewhere.
@compute @workgroup_size(4)
fn views(@builtin(local_invocation_id) l : vec3u) {
  let p = bufferView<array<u32, 4>>(&y, 12 - 4 * l.x);
  let old = p[l.x];
  if l.x == 1 { p[l.x] = old + 7; }
}

// The condition is what keeps the store in bounds.
@compute @workgroup_size(64)
fn ends(@builtin(local_invocation_index) l : u32) {
  let old = short[l];
  if l < 32 { short[l] = old + 1; }
  workgroupBarrier();
  if l == 0 {
    for (var i = 0u; i < 32; i++) {
      x[0] += short[i];
      x[1] += beside[i];
    }
  }
}
