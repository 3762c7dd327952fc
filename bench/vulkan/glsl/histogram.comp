// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Values { uint value[]; };
layout(std430, set = 0, binding = 1) buffer Bins { uint bins[256]; };
shared uint mine[256];

void main() {
  uint l = gl_LocalInvocationIndex;
  mine[l] = 0;
  barrier();
  for (uint i = gl_GlobalInvocationID.x; i < value.length(); i += 256 * 256) {
    atomicAdd(mine[value[i] & 255], 1);
  }
  barrier();
  atomicAdd(bins[l], mine[l]);
}
