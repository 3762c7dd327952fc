// Attributes of inputs and outputs that need, or exclude, each other.
enable dual_source_blending;
struct A {
  @location(0) @builtin(position) x : vec4<f32>,   // error conflicting_attributes@3: has '@builtin' or '@location', not both
}
struct B {
  @interpolate(flat) x : vec4<f32>,                // error missing_attribute@3: '@interpolate' needs '@location' beside it
}
struct C {
  @builtin(frag_depth) @invariant x : f32,         // error missing_attribute@24: '@invariant' needs '@builtin(position)' beside it
}
struct D {
  @blend_src(0) x : f32,                           // error missing_attribute@3: '@blend_src' needs '@location' beside it
}
struct E {
  @builtin(position) @interpolate(flat) x : vec4<f32>,  // error missing_attribute@22: '@interpolate' needs '@location'
}
struct F {
  @invariant x : vec4<f32>,                        // error missing_attribute@3: '@invariant' needs
}
