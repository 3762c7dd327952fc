// Each attribute where it belongs.
enable subgroups;
enable subgroup_size_control;
@id(7) override width : u32 = 4;
@group(0) @binding(1) var<storage, read_write> data : array<u32>;
struct In {
  @builtin(global_invocation_id) id : vec3<u32>,
}
struct Padded {
  @align(16) @size(32) x : f32,
}
struct Varying {
  @builtin(position) @invariant at : vec4<f32>,
  @location(0) @interpolate(linear, centroid) color : vec4<f32>,
}
@must_use fn twice(x : u32) -> u32 { return 2 * x; }
@diagnostic(off, derivative_uniformity) fn quiet() {}
@compute @workgroup_size(width) @subgroup_size(4)
fn kernel(in : In) {
  data[in.id.x] = twice(in.id.x);
  @diagnostic(off, derivative_uniformity) {
    quiet();
  }
  @diagnostic(off, derivative_uniformity) if in.id.x == 0 { quiet(); }
}
@vertex fn vertices() -> Varying { return Varying(); }
@fragment fn fragments(v : Varying) -> @location(0) vec4<f32> { return v.color; }
