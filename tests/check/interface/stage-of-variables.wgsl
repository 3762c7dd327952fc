// Vertex shaders do not write; workgroup memory belongs to compute shaders.
@group(0) @binding(0) var<storage, read_write> written : array<f32>;
@group(0) @binding(1) var<storage> input : array<f32>;
@group(0) @binding(2) var image : texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var read_image : texture_storage_2d<rgba8unorm, read>;
var<workgroup> shared_ : f32;
fn deep() -> f32 {
  return shared_;         // error wrong_stage@10: 'shared_' cannot be used here: workgroup memory belongs to compute shaders
}
@vertex fn v() -> @builtin(position) vec4<f32> {
  _ = image;              // error wrong_stage@7: 'image' cannot be used here: a vertex shader can only read storage textures
  _ = read_image;
  return vec4<f32>(input[0] + written[0]);  // error wrong_stage@31: 'written' cannot be used here: a vertex shader can only read storage buffers
}
@fragment fn f() -> @location(0) f32 { return written[0] + deep(); }
@compute @workgroup_size(1) fn c() { written[0] = deep(); }
