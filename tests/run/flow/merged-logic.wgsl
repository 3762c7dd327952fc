// Bits are chosen from two values by a mask, in the lanes that a branch leaves.
// run: groups 1, in v = [1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, -1, -1, 1, 1, 1], out o = [0, 0, 32, 48, 0, 80, 0, 112, 128, 144, 160, 0, 0, 208, 224, 240], out p = [5, 21, 37, 53, 69, 85, 101, 117, 133, 149, 165, 181, 197, 213, 229, 245]

@group(0) @binding(0) var<storage> v : array<f32>;
@group(0) @binding(1) var<storage, read_write> o : array<u32>;
@group(0) @binding(2) var<storage, read_write> p : array<u32>;
var<workgroup> w : array<i32, 16>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i : u32) {
  let old = i * 16u + 5u;
  let mixed = (old & 0xe000000fu) | ((i << 4u) & 0x1ffffff0u);
  p[i] = select(old, mixed, v[i] < 0.0);
  if (v[i] < 0.0) { return; }
  w[i] = (w[i] & ~0x1ffffff0) | ((i32(i) << 4u) & 0x1ffffff0);
  o[i] = u32(w[i]);
}
