// Every overload of textureSampleLevel.
var<private> i1 : i32;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
@group(0) @binding(0) var t0 : texture_1d<f32>;
@group(0) @binding(1) var t1 : texture_2d<f32>;
@group(0) @binding(2) var t2 : texture_2d_array<f32>;
@group(0) @binding(3) var t3 : texture_3d<f32>;
@group(0) @binding(4) var t4 : texture_cube<f32>;
@group(0) @binding(5) var t5 : texture_cube_array<f32>;
@group(0) @binding(6) var t6 : texture_depth_2d;
@group(0) @binding(7) var t7 : texture_depth_2d_array;
@group(0) @binding(8) var t8 : texture_depth_cube;
@group(0) @binding(9) var t9 : texture_depth_cube_array;
@group(0) @binding(10) var s : sampler;

fn use_textureSampleLevel() {
  let r0 : vec4<f32> = textureSampleLevel(t0, s, f1, f1);
  let r1 : vec4<f32> = textureSampleLevel(t1, s, f2, f1);
  let r2 : vec4<f32> = textureSampleLevel(t1, s, f2, f1, vec2(-8, 7));
  let r3 : vec4<f32> = textureSampleLevel(t2, s, f2, i1, f1);
  let r4 : vec4<f32> = textureSampleLevel(t2, s, f2, u1, f1);
  let r5 : vec4<f32> = textureSampleLevel(t2, s, f2, i1, f1, vec2(-8, 7));
  let r6 : vec4<f32> = textureSampleLevel(t2, s, f2, u1, f1, vec2(-8, 7));
  let r7 : vec4<f32> = textureSampleLevel(t3, s, f3, f1);
  let r8 : vec4<f32> = textureSampleLevel(t3, s, f3, f1, vec3(-8, 7, 7));
  let r9 : vec4<f32> = textureSampleLevel(t4, s, f3, f1);
  let r10 : vec4<f32> = textureSampleLevel(t5, s, f3, i1, f1);
  let r11 : vec4<f32> = textureSampleLevel(t5, s, f3, u1, f1);
  let r12 : f32 = textureSampleLevel(t6, s, f2, i1);
  let r13 : f32 = textureSampleLevel(t6, s, f2, u1);
  let r14 : f32 = textureSampleLevel(t6, s, f2, i1, vec2(-8, 7));
  let r15 : f32 = textureSampleLevel(t6, s, f2, u1, vec2(-8, 7));
  let r16 : f32 = textureSampleLevel(t7, s, f2, i1, i1);
  let r17 : f32 = textureSampleLevel(t7, s, f2, u1, u1);
  let r18 : f32 = textureSampleLevel(t7, s, f2, i1, i1, vec2(-8, 7));
  let r19 : f32 = textureSampleLevel(t7, s, f2, u1, u1, vec2(-8, 7));
  let r20 : f32 = textureSampleLevel(t8, s, f3, i1);
  let r21 : f32 = textureSampleLevel(t8, s, f3, u1);
  let r22 : f32 = textureSampleLevel(t9, s, f3, i1, i1);
  let r23 : f32 = textureSampleLevel(t9, s, f3, u1, u1);
}
