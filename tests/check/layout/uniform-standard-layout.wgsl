// With uniform_buffer_standard_layout, uniform buffers are laid out as any other.
requires uniform_buffer_standard_layout;
struct Inner { x : f32 }
struct Outer { a : Inner, b : f32, c : array<f32, 3> }
@group(0) @binding(0) var<uniform> u : Outer;
@group(0) @binding(1) var<uniform> v : array<vec2<f32>, 4>;
