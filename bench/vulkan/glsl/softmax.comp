// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint cols = 1024;
layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) buffer Y { float y[]; };
shared float part[256];

void main() {
  uint l = gl_LocalInvocationIndex, row = gl_WorkGroupID.x * cols;
  float m = -3.0e38;
  for (uint i = l; i < cols; i += 256) { m = max(m, x[row + i]); }
  part[l] = m;
  barrier();
  for (uint s = 128; s > 0; s >>= 1) {
    if (l < s) { part[l] = max(part[l], part[l + s]); }
    barrier();
  }
  m = part[0];
  barrier();
  float sum = 0.0;
  for (uint i = l; i < cols; i += 256) { sum += exp(x[row + i] - m); }
  part[l] = sum;
  barrier();
  for (uint s = 128; s > 0; s >>= 1) {
    if (l < s) { part[l] += part[l + s]; }
    barrier();
  }
  float scale = 1.0 / part[0];
  for (uint i = l; i < cols; i += 256) { y[row + i] = exp(x[row + i] - m) * scale; }
}
