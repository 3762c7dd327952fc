// SPDX-License-Identifier: Apache-2.0
struct Inner {
  x : f32,
}
struct Outer {
  a : Inner,
  b : f32,
  c : array<f32, 3>,
  d : Inner,
}
struct Padded {
  a : Inner,
  @align(16) b : f32,
  @align(16) c : array<vec4<f32>, 3>,
  d : array<mat2x4<f32>, 2>,
}
@group(0) @binding(0) var<uniform> bad : Outer;
@group(0) @binding(1) var<uniform> list : array<vec2<f32>, 4>;
@group(0) @binding(2) var<uniform> good : Padded;
@group(0) @binding(3) var<storage> other : Outer;
