// Every function that packs or unpacks.
var<private> i4 : vec4<i32>;
var<private> u1 : u32;
var<private> u4 : vec4<u32>;
var<private> f2 : vec2<f32>;
var<private> f4 : vec4<f32>;

fn use_pack2x16float() {
  let r0 : u32 = pack2x16float(f2);
}

fn use_pack2x16snorm() {
  let r0 : u32 = pack2x16snorm(f2);
}

fn use_pack2x16unorm() {
  let r0 : u32 = pack2x16unorm(f2);
}

fn use_pack4x8snorm() {
  let r0 : u32 = pack4x8snorm(f4);
}

fn use_pack4x8unorm() {
  let r0 : u32 = pack4x8unorm(f4);
}

fn use_pack4xI8() {
  let r0 : u32 = pack4xI8(i4);
}

fn use_pack4xI8Clamp() {
  let r0 : u32 = pack4xI8Clamp(i4);
}

fn use_pack4xU8() {
  let r0 : u32 = pack4xU8(u4);
}

fn use_pack4xU8Clamp() {
  let r0 : u32 = pack4xU8Clamp(u4);
}

fn use_unpack2x16float() {
  let r0 : vec2<f32> = unpack2x16float(u1);
}

fn use_unpack2x16snorm() {
  let r0 : vec2<f32> = unpack2x16snorm(u1);
}

fn use_unpack2x16unorm() {
  let r0 : vec2<f32> = unpack2x16unorm(u1);
}

fn use_unpack4x8snorm() {
  let r0 : vec4<f32> = unpack4x8snorm(u1);
}

fn use_unpack4x8unorm() {
  let r0 : vec4<f32> = unpack4x8unorm(u1);
}

fn use_unpack4xI8() {
  let r0 : vec4<i32> = unpack4xI8(u1);
}

fn use_unpack4xU8() {
  let r0 : vec4<u32> = unpack4xU8(u1);
}
