// Indices that are a multiple apart from lane to lane, divided by what divides that: also for
// lanes of which the first do not take part, and lie below zero.
// run: groups 1, out b = [0, 0, 0, 0, 311, 622, 933, 1244, 1555, 1866, 2177, 2488, 2799, 3110, 3421, 3732]

@group(0) @binding(0) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) l : u32) {
  if l >= 3 {
    let x = l * 12 - 36;
    let y = i32(l) * 6 - 16;
    b[l] = x / 4 * 100 + u32(y / 6) * 10 + (x + 11) / 12 + x % 12 + (x >> 2) - x / 4 + (x & 3);
  }
}
