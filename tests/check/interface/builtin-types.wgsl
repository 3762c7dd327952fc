// Builtin values have one type, in any structure.
enable clip_distances;
struct S {
  @builtin(position) a : vec3<f32>,                  // error builtin_value_type@22: the builtin value 'position' has the type 'vec4<f32>', not 'vec3<f32>'
  @builtin(front_facing) b : u32,                    // error builtin_value_type@26: has the type 'bool', not 'u32'
  @builtin(clip_distances) c : array<f32, 9>,        // error builtin_value_type@28: has the type 'array<f32, N> with N up to 8', not 'array<f32, 9>'
  @builtin(sample_mask) d : i32,                     // error builtin_value_type@25: 'u32'
  @builtin(frag_depth) e : f32,
}
struct Clipped {
  @builtin(position) at : vec4<f32>,
  @builtin(clip_distances) distances : array<f32, 8>,
}
@vertex fn v() -> Clipped { return Clipped(); }
@compute @workgroup_size(1)
fn f(@builtin(global_invocation_id) id : vec3<i32>) {}  // error builtin_value_type@37: has the type 'vec3<u32>', not 'vec3<i32>'
