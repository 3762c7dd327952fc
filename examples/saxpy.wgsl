// SPDX-License-Identifier: Apache-2.0
//
// saxpy - y = a x + y, the "hello, world" of linear algebra.
//
// in     a: one factor; x: a vector
// out    y: changed in place, as many elements as x and y both have
// groups ceil(length / 64)

@group(0) @binding(0) var<uniform> a : f32;
@group(0) @binding(1) var<storage, read> x : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;

@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id : vec3u) {
  let i = id.x;
  if i >= min(arrayLength(&x), arrayLength(&y)) {
    return;
  }
  y[i] = fma(a, x[i], y[i]);
}
