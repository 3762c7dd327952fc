// A structure has at most 2^32 - 1 bytes.
struct Large {
  @size(4294967280u) a : f32,
  b : f32,
}
struct TooLarge {
  @size(4294967280u) a : f32,
  b : mat4x4<f32>,             // error type_too_large: with this member the structure 'TooLarge' takes more than 4294967295 bytes
}
struct Alignment {
  @size(2147483648u) a : f32,
  @align(2147483648u) b : f32, // error type_too_large: 'Alignment'
}
