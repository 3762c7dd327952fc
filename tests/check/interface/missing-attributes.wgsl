// Every input and output is a builtin value or has a location.
struct S {
  @location(0) a : f32,
  b : f32,                                          // error missing_io_attribute@3: the input 'b' needs '@builtin' or '@location'
}
@fragment fn param(x : f32) {}                      // error missing_io_attribute@20: the input 'x' needs
@fragment fn member(s : S) {}
@fragment fn result() -> vec4<f32> { return vec4<f32>(); }  // error missing_io_attribute@26: the result needs '@builtin' or '@location'
