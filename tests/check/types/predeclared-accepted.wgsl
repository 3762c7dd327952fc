// Every predeclared type and alias, spelled in full and short.
enable f16;
alias A1 = bool; alias A2 = i32; alias A3 = u32; alias A4 = f32; alias A5 = f16;
const v = vec2i(1, 2) + vec2<i32>(3, 4);
const v3 : vec3u = vec3<u32>(1, 2, 3);
const v4 : vec4f = vec4<f32>(1, 2, 3, 4);
const vh : vec2h = vec2<f16>(1, 2);
const vb = vec3<bool>(true, false, true);
const m22 : mat2x2f = mat2x2<f32>(1, 2, 3, 4);
const m23 : mat2x3f = mat2x3<f32>();
const m24 : mat2x4f = mat2x4<f32>();
const m32 : mat3x2f = mat3x2<f32>();
const m33 : mat3x3f = mat3x3<f32>();
const m34 : mat3x4f = mat3x4<f32>();
const m42 : mat4x2f = mat4x2<f32>();
const m43 : mat4x3f = mat4x3<f32>();
const m44 : mat4x4f = mat4x4<f32>();
const h44 : mat4x4h = mat4x4<f16>();
var<workgroup> at : atomic<u32>;
@group(0) @binding(0) var t1 : texture_1d<f32>;
@group(0) @binding(1) var t2 : texture_2d<i32>;
@group(0) @binding(2) var t3 : texture_2d_array<u32>;
@group(0) @binding(3) var t4 : texture_3d<f32>;
@group(0) @binding(4) var t5 : texture_cube<f32>;
@group(0) @binding(5) var t6 : texture_cube_array<f32>;
@group(0) @binding(6) var t7 : texture_multisampled_2d<f32>;
@group(0) @binding(7) var t8 : texture_depth_2d;
@group(0) @binding(8) var t9 : texture_depth_2d_array;
@group(0) @binding(9) var ta : texture_depth_cube;
@group(0) @binding(10) var tb : texture_depth_cube_array;
@group(0) @binding(11) var tc : texture_depth_multisampled_2d;
@group(0) @binding(12) var td : texture_external;
@group(0) @binding(13) var te : texture_storage_1d<r32uint, read>;
@group(0) @binding(14) var tf : texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(15) var tg : texture_storage_2d_array<rg32float, write>;
@group(0) @binding(16) var th : texture_storage_3d<r32sint, read_write>;
@group(0) @binding(17) var s1 : sampler;
@group(0) @binding(18) var s2 : sampler_comparison;
@group(0) @binding(19) var<storage> b1 : buffer;
@group(0) @binding(20) var<uniform> b2 : buffer<64>;
fn pointers(a : ptr<function, i32>, b : ptr<private, f32>, c : ptr<workgroup, array<u32, 4>>,
            d : ptr<uniform, vec4f>, e : ptr<storage, array<u32>, read_write>,
            f : ptr<storage, u32>, g : ptr<storage, u32, read>) {}
