// Functions that only some stages may call, directly or through others.
enable subgroups;
var<workgroup> w : atomic<u32>;
@group(0) @binding(0) var<storage, read_write> a : atomic<u32>;
@group(0) @binding(1) var t : texture_2d<f32>;
@group(0) @binding(2) var s : sampler;

fn derive(x : f32) -> f32 { return dpdx(x); }          // error wrong_stage: 'dpdx'
fn wait() { workgroupBarrier(); }                      // error wrong_stage: 'workgroupBarrier'
fn count() -> u32 { return atomicAdd(&a, 1); }         // error wrong_stage: 'atomicAdd' // error wrong_stage: 'a' cannot be used here
fn sum() -> u32 { return subgroupAdd(1u); }            // error wrong_stage: 'subgroupAdd'
fn sample() -> f32 { return textureSample(t, s, vec2f()).x; }  // error wrong_stage: 'textureSample'

@compute @workgroup_size(1) fn c() {
  _ = derive(1);
  _ = sample();
  wait();
  _ = count() + sum();
}
@fragment fn f() {
  wait();
  _ = count() + sum();
}
@vertex fn v() -> @builtin(position) vec4f {
  return vec4f(f32(count() + sum()));
}
