// Every overload of textureSampleBaseClampToEdge.
var<private> f2 : vec2<f32>;
@group(0) @binding(0) var t0 : texture_2d<f32>;
@group(0) @binding(1) var t1 : texture_external;
@group(0) @binding(2) var s : sampler;

fn use_textureSampleBaseClampToEdge() {
  let r0 : vec4<f32> = textureSampleBaseClampToEdge(t0, s, f2);
  let r1 : vec4<f32> = textureSampleBaseClampToEdge(t1, s, f2);
}
