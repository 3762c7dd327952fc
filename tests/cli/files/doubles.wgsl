// Numbers of 64 bits in buffers and overrides.
enable weft_f64;
struct Pair {
  n : u32,
  v : vec3d,
}
override step : f64 = 0.1lf;
@group(0) @binding(0) var<storage, read> x : array<f64>;
@group(0) @binding(1) var<storage, read_write> y : array<f64>;
@group(0) @binding(2) var<storage, read_write> pairs : array<Pair>;

@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&y) { y[id.x] = x[id.x] + step; }
}
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&pairs) { pairs[id.x].v *= 2; }
}
