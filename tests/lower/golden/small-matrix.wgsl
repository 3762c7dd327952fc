// A few columns are chosen among, not stored.
@group(0) @binding(0) var<storage, read_write> m : mat2x2f;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i : u32) {
  let x = m;
  m[0] = x * x[i];
}
