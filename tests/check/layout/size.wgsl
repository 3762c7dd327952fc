// @size is at least the size of a type that is known.
struct Good {
  @size(4) a : f32,
  @size(5) b : f32,
  @size(64) c : array<f32, 16>,
}
struct Bad {
  @size(3) a : f32,            // error member_layout@3: 'f32' takes 4 bytes, more than the 3 of '@size'
  @size(0) b : f32,            // error attribute_value@3: a size must be at least 1
  @size(64) c : array<f32>,    // error member_layout@3: '@size' needs a type whose size is fixed when the module is made
}
