// Every overload of textureSampleBias.
var<private> i1 : i32;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
@group(0) @binding(0) var t0 : texture_2d<f32>;
@group(0) @binding(1) var t1 : texture_2d_array<f32>;
@group(0) @binding(2) var t2 : texture_3d<f32>;
@group(0) @binding(3) var t3 : texture_cube<f32>;
@group(0) @binding(4) var t4 : texture_cube_array<f32>;
@group(0) @binding(5) var s : sampler;

fn use_textureSampleBias() {
  let r0 : vec4<f32> = textureSampleBias(t0, s, f2, f1);
  let r1 : vec4<f32> = textureSampleBias(t0, s, f2, f1, vec2(-8, 7));
  let r2 : vec4<f32> = textureSampleBias(t1, s, f2, i1, f1);
  let r3 : vec4<f32> = textureSampleBias(t1, s, f2, u1, f1);
  let r4 : vec4<f32> = textureSampleBias(t1, s, f2, i1, f1, vec2(-8, 7));
  let r5 : vec4<f32> = textureSampleBias(t1, s, f2, u1, f1, vec2(-8, 7));
  let r6 : vec4<f32> = textureSampleBias(t2, s, f3, f1);
  let r7 : vec4<f32> = textureSampleBias(t2, s, f3, f1, vec3(-8, 7, 7));
  let r8 : vec4<f32> = textureSampleBias(t3, s, f3, f1);
  let r9 : vec4<f32> = textureSampleBias(t4, s, f3, i1, f1);
  let r10 : vec4<f32> = textureSampleBias(t4, s, f3, u1, f1);
}
