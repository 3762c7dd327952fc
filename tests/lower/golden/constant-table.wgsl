// A constant array that is indexed at run time is a table, one for equal contents.
@group(0) @binding(0) var<storage, read_write> b : array<f32>;
const t = array(1.0, 2, 3, 4, 5);

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i : u32) {
  b[0] = t[i] + t[i + 1] + array(1f, 2, 3, 4, 5)[i];
}
