struct S { @location(0) x : vec4<f32> }
@vertex fn a() -> S { return S(); }     // error missing_position@12: the vertex shader 'a' must return '@builtin(position)'
@vertex fn b() {}                       // error missing_position@12: 'b'
@vertex fn c() -> @builtin(position) vec4<f32> { return vec4<f32>(); }
@vertex fn d() -> @location(0) vec4<f32> { return vec4<f32>(); }  // error missing_position@12: 'd'
