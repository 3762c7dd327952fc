// Every overload of textureSampleCompareLevel.
var<private> i1 : i32;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
@group(0) @binding(0) var t0 : texture_depth_2d;
@group(0) @binding(1) var t1 : texture_depth_2d_array;
@group(0) @binding(2) var t2 : texture_depth_cube;
@group(0) @binding(3) var t3 : texture_depth_cube_array;
@group(0) @binding(4) var sc : sampler_comparison;

fn use_textureSampleCompareLevel() {
  let r0 : f32 = textureSampleCompareLevel(t0, sc, f2, f1);
  let r1 : f32 = textureSampleCompareLevel(t0, sc, f2, f1, vec2(-8, 7));
  let r2 : f32 = textureSampleCompareLevel(t1, sc, f2, i1, f1);
  let r3 : f32 = textureSampleCompareLevel(t1, sc, f2, u1, f1);
  let r4 : f32 = textureSampleCompareLevel(t1, sc, f2, i1, f1, vec2(-8, 7));
  let r5 : f32 = textureSampleCompareLevel(t1, sc, f2, u1, f1, vec2(-8, 7));
  let r6 : f32 = textureSampleCompareLevel(t2, sc, f3, f1);
  let r7 : f32 = textureSampleCompareLevel(t3, sc, f3, i1, f1);
  let r8 : f32 = textureSampleCompareLevel(t3, sc, f3, u1, f1);
}
