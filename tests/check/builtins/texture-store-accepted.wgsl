// Every overload of textureStore.
var<private> i1 : i32;
var<private> i2 : vec2<i32>;
var<private> i3 : vec3<i32>;
var<private> i4 : vec4<i32>;
var<private> u1 : u32;
var<private> u2 : vec2<u32>;
var<private> u3 : vec3<u32>;
var<private> u4 : vec4<u32>;
@group(0) @binding(0) var t0 : texture_storage_1d<rgba16sint, write>;
@group(0) @binding(1) var t1 : texture_storage_1d<r32uint, read_write>;
@group(0) @binding(2) var t2 : texture_storage_2d<rgba16sint, write>;
@group(0) @binding(3) var t3 : texture_storage_2d<r32uint, read_write>;
@group(0) @binding(4) var t4 : texture_storage_2d_array<rgba16sint, write>;
@group(0) @binding(5) var t5 : texture_storage_2d_array<r32uint, read_write>;
@group(0) @binding(6) var t6 : texture_storage_3d<rgba16sint, write>;
@group(0) @binding(7) var t7 : texture_storage_3d<r32uint, read_write>;

fn use_textureStore() {
  textureStore(t0, i1, i4);
  textureStore(t1, i1, u4);
  textureStore(t0, u1, i4);
  textureStore(t1, u1, u4);
  textureStore(t2, i2, i4);
  textureStore(t3, i2, u4);
  textureStore(t2, u2, i4);
  textureStore(t3, u2, u4);
  textureStore(t4, i2, i1, i4);
  textureStore(t5, i2, i1, u4);
  textureStore(t4, u2, u1, i4);
  textureStore(t5, u2, u1, u4);
  textureStore(t6, i3, i4);
  textureStore(t7, i3, u4);
  textureStore(t6, u3, i4);
  textureStore(t7, u3, u4);
}
