// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot - the set, one invocation a pixel, smoothly coloured.
//
// in     view: what part of the plane is drawn, and how finely
// out    pixels: row by row, one u32 a pixel, red in the lowest byte, then
//        green, blue and alpha
// groups ceil(width / 8) x ceil(height / 8)

struct View {
  centre : vec2f,       // of the picture, in the complex plane
  scale  : f32,         // plane units a pixel
  limit  : u32,         // iterations after which a point counts as inside
  size   : vec2u,       // pixels
}

@group(0) @binding(0) var<uniform> view : View;
@group(0) @binding(1) var<storage, read_write> pixels : array<u32>;

// A point that has gone farther than this never comes back. Larger than the
// necessary 2 so that the fractional count below is smooth.
const escape_radius = 16.0;

fn square(z : vec2f) -> vec2f {
  return vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
}

// Iterations until `c` escapes, with a fraction; negative if it does not.
fn escape_time(c : vec2f) -> f32 {
  var z = vec2f();
  for (var i = 0u; i < view.limit; i++) {
    z = square(z) + c;
    let distance2 = dot(z, z);
    if distance2 > escape_radius * escape_radius {
      // |z| squares with each step: two logarithms make the count continuous.
      return f32(i) + 1.0 - log2(0.5 * log2(distance2));
    }
  }
  return -1.0;
}

// Three cosines of the same wave, out of step: a palette without a table.
fn palette(t : f32) -> vec3f {
  let phase = vec3f(0.0, 0.6, 1.1);
  return 0.5 - 0.5 * cos(0.35 * sqrt(max(t, 0.0)) * 3.14159 + phase);
}

fn colour(t : f32) -> u32 {
  if t < 0.0 {
    return pack4x8unorm(vec4f(0.0, 0.0, 0.0, 1.0));
  }
  return pack4x8unorm(vec4f(palette(t), 1.0));
}

@compute @workgroup_size(8, 8)
fn mandelbrot(@builtin(global_invocation_id) id : vec3u) {
  if any(id.xy >= view.size) {
    return;
  }
  let offset = (vec2f(id.xy) + 0.5 - 0.5 * vec2f(view.size)) * view.scale;
  pixels[id.y * view.size.x + id.x] = colour(escape_time(view.centre + offset));
}
