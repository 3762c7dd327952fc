// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const uint n = 512;
layout(std430, set = 0, binding = 0) readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { float b[]; };
layout(std430, set = 0, binding = 2) buffer C { float c[]; };
shared float ta[16][16];
shared float tb[16][16];

void main() {
  uvec3 id = gl_GlobalInvocationID, l = gl_LocalInvocationID;
  float sum = 0.0;
  for (uint t = 0; t < n; t += 16) {
    ta[l.y][l.x] = a[id.y * n + t + l.x];
    tb[l.y][l.x] = b[(t + l.y) * n + id.x];
    barrier();
    for (uint k = 0; k < 16; k++) { sum += ta[l.y][k] * tb[k][l.x]; }
    barrier();
  }
  c[id.y * n + id.x] = sum;
}
