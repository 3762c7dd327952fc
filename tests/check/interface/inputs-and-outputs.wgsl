// All stages, with parameters and structures.
struct VertexIn {
  @location(0) at : vec4<f32>,
  @location(1) id : u32,
  @builtin(instance_index) instance : u32,
}
struct Between {
  @builtin(position) at : vec4<f32>,
  @location(0) color : vec4<f32>,
  @location(3) @interpolate(flat) id : u32,
}
struct FragmentOut {
  @location(0) color : vec4<f32>,
  @location(1) id : u32,
  @builtin(frag_depth) depth : f32,
  @builtin(sample_mask) mask : u32,
}
@vertex fn v(in : VertexIn, @builtin(vertex_index) index : u32) -> Between {
  return Between(in.at, vec4f(f32(index)), in.id + in.instance);
}
@fragment fn f(in : Between, @builtin(front_facing) front : bool) -> FragmentOut {
  return FragmentOut(in.color, in.id, select(0.0, 1.0, front), 1);
}
@compute @workgroup_size(1)
fn c(@builtin(local_invocation_index) index : u32, @builtin(num_workgroups) n : vec3<u32>) {
  _ = index + n.x;
}
