// A value that is indexed at run time is stored once, where it gets its value.
@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(1)
fn main() {
  let a = array(b[0], b[1], 2, 3, 4);
  for (var i = 0; i < 5; i++) {
    b[i] = a[i];
  }
}
