// Arguments of attributes are constant integers.
override o : i32 = 1;
var<private> p : i32;
@group(1.0) @binding(0) var a : sampler;  // error attribute_arguments@8: the argument of '@group' must be an i32 or u32, not 'abstract-float'
@group(0) @binding(1f) var b : sampler;   // error attribute_arguments@20: not 'f32'
@group(o) @binding(2) var c : sampler;    // error not_const@8: the argument of '@group' must be a const-expression
@group(-1) @binding(3) var d : sampler;   // error attribute_value@8: must not be negative, but is -1
@group(0) @binding(4294967296) var e : sampler; // error conversion_range@20:
@group(0u) @binding(4294967295u) var f : sampler;
@group(vec2(1, 1).x) @binding(1 + 2 * 3) var g : sampler;
@group(p) @binding(5) var h : sampler;    // error not_const@8:
