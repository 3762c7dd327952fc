// Every overload of the functions of bits, logic and arrays.
enable f16;
var<private> b1 : bool;
var<private> b2 : vec2<bool>;
var<private> b3 : vec3<bool>;
var<private> b4 : vec4<bool>;
var<private> i1 : i32;
var<private> i2 : vec2<i32>;
var<private> i3 : vec3<i32>;
var<private> i4 : vec4<i32>;
var<private> u1 : u32;
var<private> u2 : vec2<u32>;
var<private> u3 : vec3<u32>;
var<private> u4 : vec4<u32>;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
var<private> f4 : vec4<f32>;
var<private> h1 : f16;
var<private> h2 : vec2<f16>;
var<private> h3 : vec3<f16>;
var<private> h4 : vec4<f16>;
@group(1) @binding(0) var<storage, read_write> arr : array<f32>;

fn use_all() {
  let r0 : bool = all(b1);
  let r1 : bool = all(b2);
  let r2 : bool = all(b3);
  let r3 : bool = all(b4);
}

fn use_any() {
  let r0 : bool = any(b1);
  let r1 : bool = any(b2);
  let r2 : bool = any(b3);
  let r3 : bool = any(b4);
}

fn use_arrayLength() {
  let r0 : u32 = arrayLength(&arr);
}

fn use_bitcast() {
  let r0 : i32 = bitcast<i32>(i1);
  let r1 : i32 = bitcast<i32>(u1);
  let r2 : i32 = bitcast<i32>(f1);
  let r3 : u32 = bitcast<u32>(i1);
  let r4 : u32 = bitcast<u32>(u1);
  let r5 : u32 = bitcast<u32>(f1);
  let r6 : f32 = bitcast<f32>(i1);
  let r7 : f32 = bitcast<f32>(u1);
  let r8 : f32 = bitcast<f32>(f1);
  let r9 : vec2<i32> = bitcast<vec2<i32>>(i2);
  let r10 : vec2<i32> = bitcast<vec2<i32>>(u2);
  let r11 : vec2<i32> = bitcast<vec2<i32>>(f2);
  let r12 : vec3<u32> = bitcast<vec3<u32>>(i3);
  let r13 : vec3<u32> = bitcast<vec3<u32>>(u3);
  let r14 : vec3<u32> = bitcast<vec3<u32>>(f3);
  let r15 : vec4<f32> = bitcast<vec4<f32>>(i4);
  let r16 : vec4<f32> = bitcast<vec4<f32>>(u4);
  let r17 : vec4<f32> = bitcast<vec4<f32>>(f4);
  let r18 : f16 = bitcast<f16>(h1);
  let r19 : vec2<f16> = bitcast<vec2<f16>>(h2);
  let r20 : vec3<f16> = bitcast<vec3<f16>>(h3);
  let r21 : vec4<f16> = bitcast<vec4<f16>>(h4);
  let r22 : i32 = bitcast<i32>(h2);
  let r23 : u32 = bitcast<u32>(h2);
  let r24 : f32 = bitcast<f32>(h2);
  let r25 : vec2<i32> = bitcast<vec2<i32>>(h4);
  let r26 : vec2<u32> = bitcast<vec2<u32>>(h4);
  let r27 : vec2<f32> = bitcast<vec2<f32>>(h4);
  let r28 : vec2<f16> = bitcast<vec2<f16>>(i1);
  let r29 : vec2<f16> = bitcast<vec2<f16>>(u1);
  let r30 : vec2<f16> = bitcast<vec2<f16>>(f1);
  let r31 : vec4<f16> = bitcast<vec4<f16>>(i2);
  let r32 : vec4<f16> = bitcast<vec4<f16>>(u2);
  let r33 : vec4<f16> = bitcast<vec4<f16>>(f2);
}

fn use_select() {
  let r0 : bool = select(b1, b1, b1);
  let r1 : i32 = select(i1, i1, b1);
  let r2 : u32 = select(u1, u1, b1);
  let r3 : f32 = select(f1, f1, b1);
  let r4 : f16 = select(h1, h1, b1);
  let r5 : vec2<bool> = select(b2, b2, b1);
  let r6 : vec3<i32> = select(i3, i3, b1);
  let r7 : vec4<u32> = select(u4, u4, b1);
  let r8 : vec2<f32> = select(f2, f2, b1);
  let r9 : vec3<f16> = select(h3, h3, b1);
  let r10 : vec4<bool> = select(b4, b4, b4);
  let r11 : vec2<i32> = select(i2, i2, b2);
  let r12 : vec3<u32> = select(u3, u3, b3);
  let r13 : vec4<f32> = select(f4, f4, b4);
  let r14 : vec2<f16> = select(h2, h2, b2);
}
