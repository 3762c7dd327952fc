// Inputs share one set of locations, outputs another.
struct A {
  @location(0) a : f32,
  @location(0) b : f32,                           // error duplicate_location@3: the location 0 is taken by 'a' already
}
struct B {
  @location(1) a : f32,
}
struct C {
  @location(2) a : f32,
  @location(3) b : f32,
}
@fragment fn same(b : B, @location(1) p : f32) {} // error duplicate_location@26: the location 1 is taken by 'a' already
@fragment fn different(c : C, @location(1) p : f32) -> C { return c; }
