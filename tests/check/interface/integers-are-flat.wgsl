// What goes from vertex to fragment shaders is interpolated, which integers cannot be.
struct V {
  @builtin(position) at : vec4<f32>,
  @location(0) i : i32,                        // error invalid_interpolation@3: integers cannot be interpolated: 'i32' needs '@interpolate(flat)'
  @location(1) @interpolate(flat) j : vec2<u32>,
}
@vertex fn v(@location(0) i : vec4<u32>) -> V { return V(); }
@fragment fn f(@location(0) i : vec2<i32>) -> @location(0) vec4<u32> {  // error invalid_interpolation@16: 'vec2<i32>' needs
  return vec4<u32>();
}
@fragment fn g(@location(0) @interpolate(linear) i : u32) {}            // error invalid_interpolation@16: 'u32' needs
