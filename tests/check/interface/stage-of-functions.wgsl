// Builtin functions of one stage, through calls.
@group(0) @binding(0) var t : texture_2d<f32>;
@group(0) @binding(1) var s : sampler;
fn sample() -> vec4<f32> {
  return textureSample(t, s, vec2<f32>(0.5));  // error wrong_stage@10: cannot be used in a compute shader
}
fn wait() {
  workgroupBarrier();                          // error wrong_stage@3: cannot be used in a fragment shader
}
@fragment fn f() -> @location(0) vec4<f32> { wait(); return sample(); }
@compute @workgroup_size(1) fn c() { wait(); _ = sample(); }
