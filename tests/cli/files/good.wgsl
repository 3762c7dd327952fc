// SPDX-License-Identifier: Apache-2.0
override block : u32 = 8;
@id(4) override scale : f32;
@id(5) override deep = false;

struct Light {
  color : vec3<f32>,
  power : f32,
}
struct Scene {
  count : u32,
  lights : array<Light>,
}

@group(0) @binding(0) var<storage, read_write> scene : Scene;
@group(0) @binding(1) var<uniform> factor : f32;
@group(1) @binding(0) var image : texture_storage_2d<rgba8unorm, write>;
var<workgroup> tile : array<f32, block * block>;

fn shade(i : u32) {
  scene.lights[i].power *= factor * scale;
}

@compute @workgroup_size(block, block)
fn main(@builtin(local_invocation_index) i : u32) {
  tile[i] = 1.0;
  shade(i);
}

@fragment
fn paint() -> @location(0) vec4<f32> {
  return vec4<f32>();
}
