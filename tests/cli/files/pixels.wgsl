// Pictures of all kinds, 3 x 2.
@group(0) @binding(0) var<storage, read_write> packed : array<u32>;
@group(0) @binding(1) var<storage, read_write> gray : array<f32>;
@group(0) @binding(2) var<storage, read_write> color : array<vec4f>;
@group(0) @binding(3) var<storage, read_write> rgb : array<vec3f>;
@group(0) @binding(4) var<storage, read_write> heights : array<i32>;

fn index(id : vec3u) -> u32 { return id.y * 3 + id.x; }

@compute @workgroup_size(2, 2) fn draw(@builtin(global_invocation_id) id : vec3u) {
  let i = index(id);
  if id.x >= 3 || id.y >= 2 {
    return;
  }
  packed[i] = pack4xU8(vec4u(id.x * 100, id.y * 100, i, 255));
}
@compute @workgroup_size(2, 2) fn draw_gray(@builtin(global_invocation_id) id : vec3u) {
  if id.x < 3 && id.y < 2 { gray[index(id)] = f32(index(id)) * 0.25 - 0.25; }
}
@compute @workgroup_size(2, 2) fn draw_color(@builtin(global_invocation_id) id : vec3u) {
  if id.x < 3 && id.y < 2 { color[index(id)] = vec4f(0.5, f32(id.x), f32(id.y), 0.2); }
}
@compute @workgroup_size(2, 2) fn draw_rgb(@builtin(global_invocation_id) id : vec3u) {
  if id.x < 3 && id.y < 2 { rgb[index(id)] = vec3f(1, 0, f32(id.x) / 2); }
}
@compute @workgroup_size(2, 2) fn draw_heights(@builtin(global_invocation_id) id : vec3u) {
  if id.x < 3 && id.y < 2 { heights[index(id)] = i32(index(id)) * 10 - 20; }
}
