// Immediate data.
// run: groups 1, in data = [3, 1.5, 2.5], out b = [4.5, 2.5]

struct D { n : u32, v : vec2f }
var<immediate> data : D;
@group(0) @binding(0) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = f32(data.n) * data.v.x;
  b[1] = data.v[z + 1];
}
