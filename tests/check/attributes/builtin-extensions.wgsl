// Builtin values of extensions must be enabled.
struct A {
  @builtin(clip_distances) a : array<f32, 1>,   // error extension_not_enabled@12: 'clip_distances' needs 'enable clip_distances;'
  @builtin(primitive_index) b : u32,            // error extension_not_enabled@12: 'primitive_index' needs
  @builtin(subgroup_size) c : u32,              // error extension_not_enabled@12: 'subgroup_size' needs 'enable subgroups;'
  @location(0) @blend_src(0) d : f32,           // error extension_not_enabled@16: '@blend_src' needs 'enable dual_source_blending;' // error invalid_blend_src:
  @builtin(workgroup_index) e : u32,
}
