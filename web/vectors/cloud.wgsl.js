// SPDX-License-Identifier: Apache-2.0
// cloud.wgsl.js - the shaders that draw points: as discs on GPUs, as single pixels on software
// devices, where a disc costs twenty times as much.

export const CLOUD = `
struct View { matrix : mat4x4f, size : vec2f }     // of a point, in clip space
struct Point { @builtin(position) at : vec4f, @location(0) tint : vec3f, @location(1) off : vec2f }

@group(0) @binding(0) var<uniform> view : View;

fn place(position : vec3f, colour : vec3f) -> Point {
  let at = view.matrix * vec4f(position, 1.0);
  return Point(at, colour * clamp(1.35 - at.w * 0.12, 0.45, 1.0), vec2f());
}

@vertex fn pixel(@location(0) position : vec3f, @location(1) colour : vec3f) -> Point {
  return place(position, colour);
}

@vertex fn square(@builtin(vertex_index) corner : u32, @location(0) position : vec3f,
                  @location(1) colour : vec3f) -> Point {
  var point = place(position, colour);
  let side = vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
  point.at += vec4f(side * view.size * point.at.w, 0.0, 0.0);
  point.off = side;
  return point;
}

@fragment fn paint(point : Point) -> @location(0) vec4f {
  if (dot(point.off, point.off) > 1.0) { discard; }
  return vec4f(point.tint, 1.0);
}`;
