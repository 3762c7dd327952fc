// Offsets and components of textures are const-expressions, in a range.
@group(0) @binding(0) var t : texture_2d<f32>;
@group(0) @binding(1) var t3 : texture_3d<f32>;
@group(0) @binding(2) var d : texture_depth_2d;
@group(0) @binding(3) var s : sampler;
@group(0) @binding(4) var sc : sampler_comparison;
override o : i32 = 1;
const k = vec2(-8, 7);

fn accepted(c : vec2<f32>) {
  _ = textureSampleLevel(t, s, c, 0, k);
  _ = textureSampleLevel(t, s, c, 0, vec2(1 + 2, 0));
  _ = textureGather(0, t, s, c);
  _ = textureGather(3u, t, s, c, k);
}

fn ranges(c : vec2<f32>, c3 : vec3<f32>) {
  _ = textureSampleLevel(t, s, c, 0, vec2(-9, 0));     // error argument_range@38: the argument 'offset' of 'textureSampleLevel' is -9, but must be from -8 to 7
  _ = textureSampleLevel(t, s, c, 0, vec2(0, 8));      // error argument_range: is 8, but must be from -8 to 7
  _ = textureSampleLevel(t3, s, c3, 0, vec3(0, 0, 8)); // error argument_range: is 8, but must be from -8 to 7
  _ = textureSampleGrad(t, s, c, c, c, vec2(-9));      // error argument_range: 'textureSampleGrad'
  _ = textureSampleCompareLevel(d, sc, c, 0, vec2(9)); // error argument_range: 'textureSampleCompareLevel'
  _ = textureGatherCompare(d, sc, c, 0, vec2(9));      // error argument_range: 'textureGatherCompare'
  _ = textureGather(4, t, s, c);                       // error argument_range: the argument 'component' of 'textureGather' is 4, but must be from 0 to 3
  _ = textureGather(-1, t, s, c);                      // error argument_range: is -1
  _ = textureSample(t, s, c, vec2(99));                // error argument_range: 'textureSample'
  _ = textureSampleBias(t, s, c, 0, vec2(99));         // error argument_range: 'textureSampleBias'
  _ = textureSampleCompare(d, sc, c, 0, vec2(99));     // error argument_range: 'textureSampleCompare'
}

fn not_constant(c : vec2<f32>, i : i32) {
  let l = 1;
  _ = textureSampleLevel(t, s, c, 0, vec2(i));         // error not_const: the argument 'offset' of 'textureSampleLevel' must be a const-expression
  _ = textureSampleLevel(t, s, c, 0, vec2(l));         // error not_const:
  _ = textureSampleLevel(t, s, c, 0, vec2(o));         // error not_const:
  _ = textureGather(i, t, s, c);                       // error not_const: the argument 'component' of 'textureGather' must be a const-expression
  _ = textureGather(u32(o), t, s, c);                  // error not_const:
}

fn types(c : vec2<f32>) {
  _ = textureSampleLevel(t, s, c, 0, vec2(1u));        // error argument_type: is 'vec2<u32>', but must be 'vec2<i32>'
  _ = textureGather(1.0, t, s, c);                     // error argument_type:
  _ = textureLoad(t, vec2(1.5, 0), 0);                 // error argument_type: the 2nd argument of 'textureLoad', 'coords', is 'vec2<abstract-float>', but must be a vec2 of i32 or u32
  _ = textureSample(d, sc, c);                         // error argument_type: the 2nd argument of 'textureSample', 's', is 'sampler_comparison', but must be 'sampler'
}
