// One element each: integers, by name and by number.
@group(0) @binding(0) var<storage, read> x : array<i32>;
@group(0) @binding(1) var<storage, read_write> y : array<i32>;
@group(1) @binding(3) var<uniform> step : i32;
override scale = 1i;

@compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&x) {
    y[id.x] = x[id.x] * scale + step;
  }
}
