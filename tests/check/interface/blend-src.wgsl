// Two sources of blending: one structure, location 0, one type, fragment output.
enable dual_source_blending;
struct Good {
  @location(0) @blend_src(0) a : vec4<f32>,
  @location(0) @blend_src(1) b : vec4<f32>,
  @builtin(frag_depth) d : f32,
}
@fragment fn good() -> Good { return Good(); }
struct OneSource {
  @location(0) @blend_src(0) a : vec4<f32>,      // error invalid_blend_src@3: '@location(0) @blend_src(1)' is missing in the structure
}
struct Again {
  @location(0) @blend_src(0) a : vec4<f32>,
  @location(0) @blend_src(0) b : vec4<f32>,      // error invalid_blend_src@3: has two locations
}
struct Elsewhere {
  @location(1) @blend_src(0) a : vec4<f32>,      // error invalid_blend_src@3: has two locations
  @location(1) @blend_src(1) b : vec4<f32>,
}
struct Third {
  @location(0) @blend_src(0) a : vec4<f32>,
  @location(0) @blend_src(1) b : vec4<f32>,
  @location(1) c : vec4<f32>,                    // error invalid_blend_src@3: has two locations
}
struct Types {
  @location(0) @blend_src(0) a : vec4<f32>,
  @location(0) @blend_src(1) b : vec4<u32>,      // error invalid_blend_src@30: both sources of a blending have one type; this one is 'vec4<u32>'
}
struct Value {
  @location(0) @blend_src(2) a : vec4<f32>,      // error attribute_value@16: must be 0 or 1, but is 2
}
struct Input {
  @location(0) @blend_src(0) a : vec4<f32>,      // error invalid_blend_src@3: '@blend_src' belongs to the output of fragment shaders
  @location(0) @blend_src(1) b : vec4<f32>,      // error invalid_blend_src@3: '@blend_src' belongs to the output of fragment shaders
}
@fragment fn input(in : Input) {}
fn f(@location(0) @blend_src(0) x : f32) {}      // error misplaced_attribute@19: '@blend_src' cannot be used on a parameter // error misplaced_attribute@6: 'f' is not an entry point
