// The names of builtin values.
struct A {
  @builtin(position) a : vec4<f32>,
  @builtin(pos) b : vec4<f32>,             // error unknown_builtin_value@12: there is no builtin value 'pos'
  @builtin(frag_depth, greater) c : f32,
  @builtin(sample_mask, less) d : u32,     // error attribute_arguments@25: only the builtin value 'frag_depth' takes a second argument
}
struct B {
  @builtin(frag_depth, less) c : f32,
}
struct C {
  @builtin(frag_depth, equal) c : f32,     // error attribute_arguments@24: 'equal' is not a depth mode: use greater or less
}
struct D {
  @builtin(vertex_idex) i : u32,           // error unknown_builtin_value@12: there is no builtin value 'vertex_idex'; is 'vertex_index' meant?
}
