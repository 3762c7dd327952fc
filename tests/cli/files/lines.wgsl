// SPDX-License-Identifier: Apache-2.0
const_assert 1 ==
  2;
const a : vec2<u32> = vec3<f32>(
    1,
    2, 3);
/* never
 ends
