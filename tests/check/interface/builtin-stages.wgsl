// Builtin values belong to stages and directions.
struct Out {
  @builtin(position) at : vec4<f32>,
  @builtin(vertex_index) i : u32,          // error builtin_value_stage@3: the builtin value 'vertex_index' is a vertex input, not a vertex output
}
@vertex fn v() -> Out { return Out(); }
@fragment fn f(@builtin(frag_depth) d : f32) {}          // error builtin_value_stage@16: 'frag_depth' is a fragment output, not a fragment input
@fragment fn g(@builtin(global_invocation_id) i : vec3<u32>) {}  // error builtin_value_stage@16: is a compute input, not a fragment input
@compute @workgroup_size(1) fn c(@builtin(position) p : vec4<f32>) {}  // error builtin_value_stage@34: is a vertex output or fragment input, not a compute input
@fragment fn h() -> @builtin(sample_index) u32 { return 0; }  // error builtin_value_stage@21: is a fragment input, not a fragment output
struct Unused { @builtin(vertex_index) i : u32, @builtin(frag_depth) d : f32 }
