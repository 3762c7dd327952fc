// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const uint width = 1024;
layout(constant_id = 1) const uint height = 512;
const uint limit = 256;
layout(std430, set = 0, binding = 0) buffer Counts { uint count[]; };

void main() {
  uvec3 id = gl_GlobalInvocationID;
  vec2 c = vec2(float(id.x) / float(width) * 3.5 - 2.5, float(id.y) / float(height) * 2.0 - 1.0);
  vec2 z = vec2(0.0);
  uint i = 0;
  while (i < limit && dot(z, z) <= 4.0) {
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    i++;
  }
  count[id.y * width + id.x] = i;
}
