// Lanes that lie side by side, some of them below the first element: those store nothing.
// run: groups 1, in b = [1, 2, 3, 4], out b = [7, 9, 3, 4]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l : u32) {
  for (var i = 0; i < 16; i++) {
    let at = min(0, i32(l) - i);
    if (i32(l) == i) { b[at] = 7; }
  }
  for (var i = 0; i < 16; i++) {
    let at = min(1, i32(l) - i);
    if (i32(l) == i + 1) { b[at] = 9; }
  }
}
