// Calls that no overload fits, and results that are dropped: texture sampling.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
@group(0) @binding(0) var t0 : texture_1d<f32>;
@group(0) @binding(1) var t1 : texture_2d<f32>;
@group(0) @binding(2) var t6 : texture_depth_2d;
@group(0) @binding(3) var s : sampler;
@group(0) @binding(4) var sc : sampler_comparison;

fn use_textureSample() {
  _ = textureSample();  // error argument_count: 'textureSample' takes 3 to 5 arguments, but 0 are given
  _ = textureSample(t0, s, f1, i1, i1, i1);  // error argument_count: 'textureSample' takes 3 to 5 arguments, but 6 are given
  _ = textureSample(w, s, f1);  // error argument_type: 'W'
  _ = textureSample(t0, w, f1);  // error argument_type: 'W'
  _ = textureSample(t0, s, w);  // error argument_type: 'W'
  textureSample(t0, s, f1);  // error result_not_used: the result of 'textureSample' must be used
}

fn use_textureSampleBaseClampToEdge() {
  _ = textureSampleBaseClampToEdge();  // error argument_count: 'textureSampleBaseClampToEdge' takes 3 arguments, but 0 are given
  _ = textureSampleBaseClampToEdge(t1, s, f2, i1);  // error argument_count: 'textureSampleBaseClampToEdge' takes 3 arguments, but 4 are given
  _ = textureSampleBaseClampToEdge(w, s, f2);  // error argument_type: 'W'
  _ = textureSampleBaseClampToEdge(t1, w, f2);  // error argument_type: 'W'
  _ = textureSampleBaseClampToEdge(t1, s, w);  // error argument_type: 'W'
  textureSampleBaseClampToEdge(t1, s, f2);  // error result_not_used: the result of 'textureSampleBaseClampToEdge' must be used
}

fn use_textureSampleBias() {
  _ = textureSampleBias();  // error argument_count: 'textureSampleBias' takes 4 to 6 arguments, but 0 are given
  _ = textureSampleBias(t1, s, f2, f1, i1, i1, i1);  // error argument_count: 'textureSampleBias' takes 4 to 6 arguments, but 7 are given
  _ = textureSampleBias(w, s, f2, f1);  // error argument_type: 'W'
  _ = textureSampleBias(t1, w, f2, f1);  // error argument_type: 'W'
  _ = textureSampleBias(t1, s, w, f1);  // error argument_type: 'W'
  _ = textureSampleBias(t1, s, f2, w);  // error argument_type: 'W'
  textureSampleBias(t1, s, f2, f1);  // error result_not_used: the result of 'textureSampleBias' must be used
}

fn use_textureSampleCompare() {
  _ = textureSampleCompare();  // error argument_count: 'textureSampleCompare' takes 4 to 6 arguments, but 0 are given
  _ = textureSampleCompare(t6, sc, f2, f1, i1, i1, i1);  // error argument_count: 'textureSampleCompare' takes 4 to 6 arguments, but 7 are given
  _ = textureSampleCompare(w, sc, f2, f1);  // error argument_type: 'W'
  _ = textureSampleCompare(t6, w, f2, f1);  // error argument_type: 'W'
  _ = textureSampleCompare(t6, sc, w, f1);  // error argument_type: 'W'
  _ = textureSampleCompare(t6, sc, f2, w);  // error argument_type: 'W'
  textureSampleCompare(t6, sc, f2, f1);  // error result_not_used: the result of 'textureSampleCompare' must be used
}

fn use_textureSampleCompareLevel() {
  _ = textureSampleCompareLevel();  // error argument_count: 'textureSampleCompareLevel' takes 4 to 6 arguments, but 0 are given
  _ = textureSampleCompareLevel(t6, sc, f2, f1, i1, i1, i1);  // error argument_count: 'textureSampleCompareLevel' takes 4 to 6 arguments, but 7 are given
  _ = textureSampleCompareLevel(w, sc, f2, f1);  // error argument_type: 'W'
  _ = textureSampleCompareLevel(t6, w, f2, f1);  // error argument_type: 'W'
  _ = textureSampleCompareLevel(t6, sc, w, f1);  // error argument_type: 'W'
  _ = textureSampleCompareLevel(t6, sc, f2, w);  // error argument_type: 'W'
  textureSampleCompareLevel(t6, sc, f2, f1);  // error result_not_used: the result of 'textureSampleCompareLevel' must be used
}

fn use_textureSampleGrad() {
  _ = textureSampleGrad();  // error argument_count: 'textureSampleGrad' takes 5 to 7 arguments, but 0 are given
  _ = textureSampleGrad(t1, s, f2, f2, f2, i1, i1, i1);  // error argument_count: 'textureSampleGrad' takes 5 to 7 arguments, but 8 are given
  _ = textureSampleGrad(w, s, f2, f2, f2);  // error argument_type: 'W'
  _ = textureSampleGrad(t1, w, f2, f2, f2);  // error argument_type: 'W'
  _ = textureSampleGrad(t1, s, w, f2, f2);  // error argument_type: 'W'
  _ = textureSampleGrad(t1, s, f2, w, f2);  // error argument_type: 'W'
  _ = textureSampleGrad(t1, s, f2, f2, w);  // error argument_type: 'W'
  textureSampleGrad(t1, s, f2, f2, f2);  // error result_not_used: the result of 'textureSampleGrad' must be used
}

fn use_textureSampleLevel() {
  _ = textureSampleLevel();  // error argument_count: 'textureSampleLevel' takes 4 to 6 arguments, but 0 are given
  _ = textureSampleLevel(t0, s, f1, f1, i1, i1, i1);  // error argument_count: 'textureSampleLevel' takes 4 to 6 arguments, but 7 are given
  _ = textureSampleLevel(w, s, f1, f1);  // error argument_type: 'W'
  _ = textureSampleLevel(t0, w, f1, f1);  // error argument_type: 'W'
  _ = textureSampleLevel(t0, s, w, f1);  // error argument_type: 'W'
  _ = textureSampleLevel(t0, s, f1, w);  // error argument_type: 'W'
  textureSampleLevel(t0, s, f1, f1);  // error result_not_used: the result of 'textureSampleLevel' must be used
}
