// An array may take as many bytes as an offset of 32 bits reaches.
@group(0) @binding(0) var<storage> a : array<u32, 0x3fffffff>;
@group(0) @binding(1) var<storage> b : array<u32, 0x40000000>;   // error limit_exceeded: an array of 1073741824 elements of 'u32' takes more than the limit of 4294967295 bytes
@group(0) @binding(2) var<storage> c : array<array<vec4f, 0x7fffffff>, 0x7fffffff>;   // error limit_exceeded: of 'vec4<f32>'
