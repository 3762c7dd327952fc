// A chain of clauses runs the first whose condition holds.
// run: groups 1, out b = [10, 11, 12, 13, 99, 99]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i : u32) {
  if i == 0 {
    b[i] = 10;
  } else if i < 2 {
    b[i] = 11;
  } else if i < 3 {
    b[i] = 12;
  } else if i < 4 {
    b[i] = 13;
  } else {
    b[i] = 99;
  }
}
