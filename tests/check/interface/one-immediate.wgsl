// An entry point uses at most one immediate variable.
var<immediate> a : vec4<f32>;
var<immediate> b : f32;
fn use_b() -> f32 {
  return b;                // error several_immediates@10: 'both' uses 'a' already, and can use only one variable of the address space 'immediate'
}
@compute @workgroup_size(1) fn only_a() { _ = a; }
@compute @workgroup_size(1) fn only_b() { _ = use_b(); }
@compute @workgroup_size(1) fn both() { _ = a.x + use_b(); }
