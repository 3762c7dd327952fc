// What a continuing part uses of the body comes in as parameters; places are made
// again.
@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(1)
fn main() {
  loop {
    let x = b[0];
    let p = &b[x];
    if x == 1 { continue; }
    b[2] = 3;
    continuing {
      *p = x;
      break if x == 4;
    }
  }
}
