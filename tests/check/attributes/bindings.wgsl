// Resources have a group and a binding; other variables have neither.
@group(0) @binding(0) var<uniform> a : vec4<f32>;
@group(0) var<storage> b : vec4<f32>;     // error missing_binding@24: the resource 'b' needs '@binding'
@binding(0) var c : texture_2d<f32>;      // error missing_binding@17: the resource 'c' needs '@group'
var d : sampler;                          // error missing_binding@5: the resource 'd' needs '@group' and '@binding'
@group(0) @binding(1) var<private> e : i32;   // error misplaced_attribute@1: '@group' belongs to buffers, textures and samplers, and 'e' is not one // error misplaced_attribute@11: '@binding'
@group(0) var<workgroup> f : i32;         // error misplaced_attribute@1:
@binding(0) var<immediate> g : i32;       // error misplaced_attribute@1:
