// Only @diagnostic may be repeated.
@group(0) @group(0) @binding(0) var t : texture_2d<f32>;  // error duplicate_attribute@11: '@group' is given twice
struct S {
  @size(8) @size(8) x : f32,                               // error duplicate_attribute@12: '@size' is given twice
}
@compute @compute @workgroup_size(1) fn f() {}             // error duplicate_attribute@10: '@compute'
@diagnostic(off, derivative_uniformity) @diagnostic(off, subgroup_uniformity) fn g() {}
