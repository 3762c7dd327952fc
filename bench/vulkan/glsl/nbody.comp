// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint n = 8192;
layout(std430, set = 0, binding = 0) readonly buffer Bodies { vec4 body[]; };
layout(std430, set = 0, binding = 1) buffer Accels { vec4 accel[]; };
shared vec4 tile[256];

void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  vec3 me = body[i].xyz, acc = vec3(0.0);
  for (uint t = 0; t < n; t += 256) {
    tile[l] = body[t + l];
    barrier();
    for (uint k = 0; k < 256; k++) {
      vec3 d = tile[k].xyz - me;
      float r = inversesqrt(dot(d, d) + 0.01);
      acc += d * (r * r * r);
    }
    barrier();
  }
  accel[i] = vec4(acc, 0.0);
}
