// Buffers are laid out as WGSL says, the invocation's own memory in slots.
enable f16;
struct S { a : f32, v : vec3f, h : vec2h }
@group(0) @binding(0) var<storage, read_write> b : array<S>;
var<workgroup> w : array<S, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i : u32) {
  var s = array(b[0], b[1]);
  w[i] = s[i];
}
