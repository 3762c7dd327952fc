// A kernel with a guard: the rest stays in the body.
@group(0) @binding(0) var<storage, read_write> b : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if id.x >= arrayLength(&b) { return; }
  b[id.x] *= 2;
}
