// Code after return, break and continue is never run.
// run: groups 1, out b = [1, 2, 3, 0]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn both(x : i32) -> i32 {
  if x == 0 { return 1; } else { return 2; }
}

fn after(x : i32) -> i32 {
  loop {
    if x > 0 { break; b[3] = 1; }
    return 9;
  }
  switch x {
    case 1: { return 3; }
    default: { return 4; }
  }
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i : u32) {
  b[0] = both(i32(i));
  b[1] = both(i32(i) + 5);
  b[2] = after(i32(i) + 1);
  return;
  b[3] = 7;
}
