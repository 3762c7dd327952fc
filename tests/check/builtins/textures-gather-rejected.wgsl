// Calls that no overload fits, and results that are dropped: texture gathers.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
@group(0) @binding(0) var t0 : texture_2d<i32>;
@group(0) @binding(1) var t12 : texture_depth_2d;
@group(0) @binding(2) var s : sampler;
@group(0) @binding(3) var sc : sampler_comparison;

fn use_textureGather() {
  _ = textureGather();  // error argument_count: 'textureGather' takes 3 to 6 arguments, but 0 are given
  _ = textureGather(3, t0, s, f2, i1, i1, i1);  // error argument_count: 'textureGather' takes 3 to 6 arguments, but 7 are given
  _ = textureGather(w, t0, s, f2);  // error argument_type: 'W'
  _ = textureGather(3, w, s, f2);  // error argument_type: 'W'
  _ = textureGather(3, t0, w, f2);  // error argument_type: 'W'
  _ = textureGather(3, t0, s, w);  // error argument_type: 'W'
  textureGather(3, t0, s, f2);  // error result_not_used: the result of 'textureGather' must be used
}

fn use_textureGatherCompare() {
  _ = textureGatherCompare();  // error argument_count: 'textureGatherCompare' takes 4 to 6 arguments, but 0 are given
  _ = textureGatherCompare(t12, sc, f2, f1, i1, i1, i1);  // error argument_count: 'textureGatherCompare' takes 4 to 6 arguments, but 7 are given
  _ = textureGatherCompare(w, sc, f2, f1);  // error argument_type: 'W'
  _ = textureGatherCompare(t12, w, f2, f1);  // error argument_type: 'W'
  _ = textureGatherCompare(t12, sc, w, f1);  // error argument_type: 'W'
  _ = textureGatherCompare(t12, sc, f2, w);  // error argument_type: 'W'
  textureGatherCompare(t12, sc, f2, f1);  // error result_not_used: the result of 'textureGatherCompare' must be used
}
