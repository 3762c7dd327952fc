// @align is a power of two and a multiple of the type's own alignment.
struct Good {
  @align(4) a : i32,
  @align(32) b : i32,
  @align(16) c : vec3<f32>,
  @align(1073741824) d : f32,
}
struct Bad {
  @align(3) a : i32,           // error attribute_value@3: an alignment must be a power of two, but this is 3
  @align(0) b : i32,           // error attribute_value@3: but this is 0
  @align(2) c : i32,           // error member_layout@3: 'i32' needs an alignment that is a multiple of 4, but this is 2
  @align(8) d : vec4<f32>,     // error member_layout@3: 'vec4<f32>' needs an alignment that is a multiple of 16
  @align(1) e : bool,          // error member_layout@3: 'bool' needs
}
