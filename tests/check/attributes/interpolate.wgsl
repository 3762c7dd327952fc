// Types of interpolation, and the samplings that go with each.
struct Good {
  @location(0) @interpolate(perspective) a : f32,
  @location(1) @interpolate(perspective, center) b : f32,
  @location(2) @interpolate(perspective, centroid) c : f32,
  @location(3) @interpolate(linear, sample) d : f32,
  @location(4) @interpolate(flat) e : u32,
  @location(5) @interpolate(flat, first) f : vec2<i32>,
  @location(6) @interpolate(flat, either) g : f32,
}
struct Bad {
  @location(0) @interpolate(curved) a : f32,           // error invalid_interpolation@29: 'curved' is not an interpolation: use perspective, linear or flat
  @location(1) @interpolate(linear, middle) b : f32,   // error invalid_interpolation@37: 'middle' is not an interpolation sampling
  @location(2) @interpolate(flat, center) c : f32,     // error invalid_interpolation@35: 'center' does not go with the interpolation 'flat'
  @location(3) @interpolate(linear, first) d : f32,    // error invalid_interpolation@37: 'first' goes with the interpolation 'flat' only
}
