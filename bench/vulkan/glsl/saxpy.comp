// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint n = 1;
layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(std430, set = 0, binding = 2) buffer Z { float z[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= z.length()) { return; }
  z[i] = 2.5 * x[i] + y[i];
}
