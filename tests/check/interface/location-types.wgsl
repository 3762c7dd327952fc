// A location holds a number or a vector of numbers, in any structure.
struct S {
  @location(0) a : f32,
  @location(1) b : vec3<u32>,
  @location(2) c : bool,              // error invalid_io_type@16: a '@location' holds a number or a vector of numbers, not 'bool'
  @location(3) d : mat2x2<f32>,       // error invalid_io_type@16: not 'mat2x2<f32>'
  @location(4) e : array<f32, 4>,     // error invalid_io_type@16: not 'array<f32, 4>'
  @location(5) f : vec2<bool>,        // error invalid_io_type@16: not 'vec2<bool>'
}
struct T { x : f32 }
@fragment fn f(@location(0) t : T) {} // error invalid_io_type@29: not 'T'
