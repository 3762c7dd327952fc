@compute @workgroup_size(1) fn a(@location(0) x : f32) {}      // error compute_interface@34: a compute shader has no user-defined inputs
@compute @workgroup_size(1) fn b() -> @location(0) f32 { return 0; }  // error compute_interface@52: a compute shader has no result
struct S {
  @location(0) x : f32,                                            // error compute_interface@3: a compute shader has no user-defined inputs
}
@compute @workgroup_size(1) fn c(s : S) {}
