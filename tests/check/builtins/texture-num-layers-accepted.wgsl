// Every overload of textureNumLayers.
@group(0) @binding(0) var t0 : texture_2d_array<i32>;
@group(0) @binding(1) var t1 : texture_2d_array<u32>;
@group(0) @binding(2) var t2 : texture_2d_array<f32>;
@group(0) @binding(3) var t3 : texture_cube_array<i32>;
@group(0) @binding(4) var t4 : texture_cube_array<u32>;
@group(0) @binding(5) var t5 : texture_cube_array<f32>;
@group(0) @binding(6) var t6 : texture_depth_2d_array;
@group(0) @binding(7) var t7 : texture_depth_cube_array;
@group(0) @binding(8) var t8 : texture_storage_2d_array<rgba16sint, write>;

fn use_textureNumLayers() {
  let r0 : u32 = textureNumLayers(t0);
  let r1 : u32 = textureNumLayers(t1);
  let r2 : u32 = textureNumLayers(t2);
  let r3 : u32 = textureNumLayers(t3);
  let r4 : u32 = textureNumLayers(t4);
  let r5 : u32 = textureNumLayers(t5);
  let r6 : u32 = textureNumLayers(t6);
  let r7 : u32 = textureNumLayers(t7);
  let r8 : u32 = textureNumLayers(t8);
}
