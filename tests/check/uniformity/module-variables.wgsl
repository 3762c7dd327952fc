// What can be written while a kernel runs may differ; what cannot, does not.
struct Buf { a : u32, b : array<u32> }
@group(0) @binding(0) var<storage> read_only : Buf;
@group(0) @binding(1) var<storage, read_write> read_write_ : Buf;
@group(0) @binding(2) var<uniform> constant : vec4u;
@group(0) @binding(3) var sampled : texture_2d<f32>;
@group(0) @binding(4) var read_texture : texture_storage_2d<r32uint, read>;
@group(0) @binding(5) var read_write_texture : texture_storage_2d<r32uint, read_write>;
@group(0) @binding(6) var filtering : sampler;
var<private> own : array<u32, 2>;
var<workgroup> wide : array<u32, 2>;
var<workgroup> counter : atomic<u32>;
var<immediate> given : u32;

fn reads() {
  if read_only.a > 1 { workgroupBarrier(); }
  if read_only.b[1] > 1 { workgroupBarrier(); }
  if constant.x > 1 { workgroupBarrier(); }
  if given > 1 { workgroupBarrier(); }
  if read_write_.a > 1 { workgroupBarrier(); }     // error workgroup_uniformity:
  if read_write_.b[1] > 1 { workgroupBarrier(); }  // error workgroup_uniformity:
  if own[0] > 1 { workgroupBarrier(); }            // error workgroup_uniformity:
  if wide[0] > 1 { workgroupBarrier(); }           // error workgroup_uniformity:
}

// Only reading differs: an address does not.
fn sizes() {
  if arrayLength(&read_only.b) > 1 { workgroupBarrier(); }
  if arrayLength(&read_write_.b) > 1 { workgroupBarrier(); }
}

fn writes() {
  read_write_.a = 1;
  own[0] = 1;
  own[0] += 1;
  wide[1]++;
  workgroupBarrier();
  if own[0] > 1 { workgroupBarrier(); }            // error workgroup_uniformity:
}

fn atomics() {
  atomicStore(&counter, 1);
  if atomicLoad(&counter) > 1 { workgroupBarrier(); }     // error workgroup_uniformity:
  if atomicAdd(&counter, 1) > 1 { workgroupBarrier(); }   // error workgroup_uniformity:
  if atomicCompareExchangeWeak(&counter, 1, 2).exchanged { workgroupBarrier(); }  // error workgroup_uniformity:
  if workgroupUniformLoad(&counter) > 1 { workgroupBarrier(); }
}

fn textures(t : texture_2d<f32>) {
  if textureDimensions(sampled).x > 1 { workgroupBarrier(); }
  if textureLoad(sampled, vec2(0, 0), 0).x > 1 { workgroupBarrier(); }
  if textureLoad(sampled, vec2(own[0], 0), 0).x > 1 { workgroupBarrier(); }    // error workgroup_uniformity:
  if textureLoad(t, vec2(0, 0), 0).x > 1 { workgroupBarrier(); }
  if textureSampleLevel(sampled, filtering, vec2f(), 0).x > 1 { workgroupBarrier(); }
  if textureGather(0, sampled, filtering, vec2f()).x > 1 { workgroupBarrier(); }
  if textureLoad(read_texture, vec2(0, 0)).x > 1 { workgroupBarrier(); }
  if textureLoad(read_write_texture, vec2(0, 0)).x > 1 { workgroupBarrier(); } // error workgroup_uniformity:
  textureStore(read_write_texture, vec2(0, 0), vec4u());
  let copy = read_write_texture;
  if textureLoad(copy, vec2(0, 0)).x > 1 { workgroupBarrier(); }               // error workgroup_uniformity:
}
fn read_write_parameter(t : texture_storage_2d<r32uint, read_write>) {
  if textureLoad(t, vec2(0, 0)).x > 1 { workgroupBarrier(); }                  // error workgroup_uniformity:
}
