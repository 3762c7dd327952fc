// Every overload of textureNumLevels.
@group(0) @binding(0) var t0 : texture_1d<i32>;
@group(0) @binding(1) var t1 : texture_1d<u32>;
@group(0) @binding(2) var t2 : texture_1d<f32>;
@group(0) @binding(3) var t3 : texture_2d<i32>;
@group(0) @binding(4) var t4 : texture_2d<u32>;
@group(0) @binding(5) var t5 : texture_2d<f32>;
@group(0) @binding(6) var t6 : texture_2d_array<i32>;
@group(0) @binding(7) var t7 : texture_2d_array<u32>;
@group(0) @binding(8) var t8 : texture_2d_array<f32>;
@group(0) @binding(9) var t9 : texture_3d<i32>;
@group(0) @binding(10) var t10 : texture_3d<u32>;
@group(0) @binding(11) var t11 : texture_3d<f32>;
@group(0) @binding(12) var t12 : texture_cube<i32>;
@group(0) @binding(13) var t13 : texture_cube<u32>;
@group(0) @binding(14) var t14 : texture_cube<f32>;
@group(0) @binding(15) var t15 : texture_cube_array<i32>;
@group(0) @binding(16) var t16 : texture_cube_array<u32>;
@group(0) @binding(17) var t17 : texture_cube_array<f32>;
@group(0) @binding(18) var t18 : texture_depth_2d;
@group(0) @binding(19) var t19 : texture_depth_2d_array;
@group(0) @binding(20) var t20 : texture_depth_cube;
@group(0) @binding(21) var t21 : texture_depth_cube_array;

fn use_textureNumLevels() {
  let r0 : u32 = textureNumLevels(t0);
  let r1 : u32 = textureNumLevels(t1);
  let r2 : u32 = textureNumLevels(t2);
  let r3 : u32 = textureNumLevels(t3);
  let r4 : u32 = textureNumLevels(t4);
  let r5 : u32 = textureNumLevels(t5);
  let r6 : u32 = textureNumLevels(t6);
  let r7 : u32 = textureNumLevels(t7);
  let r8 : u32 = textureNumLevels(t8);
  let r9 : u32 = textureNumLevels(t9);
  let r10 : u32 = textureNumLevels(t10);
  let r11 : u32 = textureNumLevels(t11);
  let r12 : u32 = textureNumLevels(t12);
  let r13 : u32 = textureNumLevels(t13);
  let r14 : u32 = textureNumLevels(t14);
  let r15 : u32 = textureNumLevels(t15);
  let r16 : u32 = textureNumLevels(t16);
  let r17 : u32 = textureNumLevels(t17);
  let r18 : u32 = textureNumLevels(t18);
  let r19 : u32 = textureNumLevels(t19);
  let r20 : u32 = textureNumLevels(t20);
  let r21 : u32 = textureNumLevels(t21);
}
