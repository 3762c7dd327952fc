// SPDX-License-Identifier: Apache-2.0
// cloud.wgsl.js - the shaders that draw points as discs, small ones as squares. GPUs draw an
// instance for each point; on software devices an instance costs ten times as much as its
// vertices: there, six vertices of one draw read each point.

export const CLOUD = `
struct View { matrix : mat4x4f, size : vec2f, round : f32 }     // size of a point, in clip space; round above 0: a disc
struct Point { @builtin(position) at : vec4f, @location(0) tint : vec3f, @location(1) off : vec2f }

@group(0) @binding(0) var<uniform> view : View;
@group(0) @binding(1) var<storage, read> points : array<f32>;       // six numbers each

fn corner_of(position : vec3f, colour : vec3f, corner : u32) -> Point {
  let at = view.matrix * vec4f(position, 1.0);
  let side = vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
  return Point(at + vec4f(side * view.size * at.w, 0.0, 0.0), colour * clamp(1.35 - at.w * 0.12, 0.45, 1.0), side);
}

@vertex fn square(@builtin(vertex_index) corner : u32, @location(0) position : vec3f,
                  @location(1) colour : vec3f) -> Point {
  return corner_of(position, colour, corner);
}

@vertex fn pulled(@builtin(vertex_index) index : u32) -> Point {
  let at = index - index % 6u;
  let corner = (0xda4u >> (2u * (index % 6u))) & 3u;      // 0, 1, 2 and 2, 1, 3: two triangles
  return corner_of(vec3f(points[at], points[at + 1u], points[at + 2u]),
                   vec3f(points[at + 3u], points[at + 4u], points[at + 5u]), corner);
}

@fragment fn paint(point : Point) -> @location(0) vec4f {
  if (view.round > 0.0 && dot(point.off, point.off) > 1.0) { discard; }
  return vec4f(point.tint, 1.0);
}`;
