// Every overload of textureNumSamples.
@group(0) @binding(0) var t0 : texture_multisampled_2d<i32>;
@group(0) @binding(1) var t1 : texture_multisampled_2d<u32>;
@group(0) @binding(2) var t2 : texture_multisampled_2d<f32>;
@group(0) @binding(3) var t3 : texture_depth_multisampled_2d;

fn use_textureNumSamples() {
  let r0 : u32 = textureNumSamples(t0);
  let r1 : u32 = textureNumSamples(t1);
  let r2 : u32 = textureNumSamples(t2);
  let r3 : u32 = textureNumSamples(t3);
}
