// Two variables of one entry point have different places; of two entry points, any.
@group(0) @binding(0) var<storage> a : f32;
@group(0) @binding(0) var<uniform> b : f32;        // error duplicate_binding@36: 'both' uses both 'a' and 'b', which have the same group 0 and binding 0
@group(0) @binding(1) var<uniform> c : f32;
@group(1) @binding(0) var<uniform> d : f32;
fn use_b() -> f32 { return b; }
@compute @workgroup_size(1) fn only_a() { _ = a + c + d; }
@compute @workgroup_size(1) fn only_b() { _ = use_b(); }
@compute @workgroup_size(1) fn both() { _ = a + use_b(); }
