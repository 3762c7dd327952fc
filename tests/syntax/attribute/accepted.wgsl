enable f16;
enable subgroups;
struct In {
  @builtin(position) a : vec4<f32>,
  @location(0) @interpolate(flat,) b : u32,
  @location(1,) @interpolate(perspective, centroid) c : f32,
  @location(2) @interpolate(linear, sample,) d : f32,
}
struct Buf { @align(16) @size(32) a : f32, @size(4 * 4,) b : f32 }
@group(0) @binding(1 + 1) var<uniform> buf : Buf;
@id(7) override n : u32 = 1;
@must_use fn f() -> i32 { return 1; }
@compute @workgroup_size(8, n, 1,) fn c() { }
@compute
@workgroup_size ( 1 )
fn d(@builtin(local_invocation_index) i : u32) @diagnostic(off, derivative_uniformity) {
  @diagnostic(warning, derivative_uniformity,) if i == 0 { } else @diagnostic(off, subgroup_uniformity) { }
  @diagnostic(info, derivative_uniformity) loop @diagnostic(off, derivative_uniformity) { break; }
  @diagnostic(error, derivative_uniformity) { }
}
@fragment fn e(in : In) -> @builtin(frag_depth, greater,) f32 { return in.c; }
@vertex fn v() -> @builtin(position) @invariant vec4<f32> { return vec4<f32>(); }
