// Calls that no overload fits, and results that are dropped: texture queries and loads.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> i4 : vec4<i32>;
@group(0) @binding(0) var t0 : texture_1d<i32>;
@group(0) @binding(1) var t3 : texture_storage_1d<rgba16sint, write>;
@group(0) @binding(2) var t7 : texture_2d_array<i32>;
@group(0) @binding(3) var t16 : texture_multisampled_2d<i32>;

fn use_textureDimensions() {
  _ = textureDimensions();  // error argument_count: 'textureDimensions' takes 1 to 2 arguments, but 0 are given
  _ = textureDimensions(t0, i1, i1);  // error argument_count: 'textureDimensions' takes 1 to 2 arguments, but 3 are given
  _ = textureDimensions(w);  // error argument_type: 'W'
  textureDimensions(t0);  // error result_not_used: the result of 'textureDimensions' must be used
}

fn use_textureLoad() {
  _ = textureLoad();  // error argument_count: 'textureLoad' takes 2 to 4 arguments, but 0 are given
  _ = textureLoad(t0, i1, i1, i1, i1);  // error argument_count: 'textureLoad' takes 2 to 4 arguments, but 5 are given
  _ = textureLoad(w, i1, i1);  // error argument_type: 'W'
  _ = textureLoad(t0, w, i1);  // error argument_type: 'W'
  _ = textureLoad(t0, i1, w);  // error argument_type: 'W'
  textureLoad(t0, i1, i1);  // error result_not_used: the result of 'textureLoad' must be used
}

fn use_textureNumLayers() {
  _ = textureNumLayers();  // error argument_count: 'textureNumLayers' takes 1 argument, but 0 are given
  _ = textureNumLayers(t7, i1);  // error argument_count: 'textureNumLayers' takes 1 argument, but 2 are given
  _ = textureNumLayers(w);  // error argument_type: 'W'
  textureNumLayers(t7);  // error result_not_used: the result of 'textureNumLayers' must be used
}

fn use_textureNumLevels() {
  _ = textureNumLevels();  // error argument_count: 'textureNumLevels' takes 1 argument, but 0 are given
  _ = textureNumLevels(t0, i1);  // error argument_count: 'textureNumLevels' takes 1 argument, but 2 are given
  _ = textureNumLevels(w);  // error argument_type: 'W'
  textureNumLevels(t0);  // error result_not_used: the result of 'textureNumLevels' must be used
}

fn use_textureNumSamples() {
  _ = textureNumSamples();  // error argument_count: 'textureNumSamples' takes 1 argument, but 0 are given
  _ = textureNumSamples(t16, i1);  // error argument_count: 'textureNumSamples' takes 1 argument, but 2 are given
  _ = textureNumSamples(w);  // error argument_type: 'W'
  textureNumSamples(t16);  // error result_not_used: the result of 'textureNumSamples' must be used
}

fn use_textureStore() {
  textureStore();  // error argument_count: 'textureStore' takes 3 to 4 arguments, but 0 are given
  textureStore(t3, i1, i4, i1, i1);  // error argument_count: 'textureStore' takes 3 to 4 arguments, but 5 are given
  textureStore(w, i1, i4);  // error argument_type: 'W'
  textureStore(t3, w, i4);  // error argument_type: 'W'
  textureStore(t3, i1, w);  // error argument_type: 'W'
  _ = textureStore(t3, i1, i4);  // error no_result: 'textureStore' returns nothing
}
