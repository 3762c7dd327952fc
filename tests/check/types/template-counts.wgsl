// Too few, too many and wrong template arguments.
const three = 3;
var<private> a : vec3;                        // error template_arguments: 'vec3' needs a template list with 1 argument
var<private> c : vec3<f32, f32>;              // error template_arguments: 'vec3' takes at most 1 template argument, found 2
var<private> d : i32<u32>;                    // error template_arguments: 'i32' takes no template list
var<private> e : vec3f<f32>;                  // error template_arguments: 'vec3f' takes no template list
var<private> f : array;                       // error template_arguments: 'array' needs a template list
var<private> g : array<i32, 2, 3>;            // error template_arguments: 'array' takes at most 2
var<private> h : mat2x2;                      // error template_arguments: 'mat2x2' needs a template list
var<workgroup> i : atomic;                    // error template_arguments: 'atomic' needs a template list
alias j = ptr<function>;                      // error template_arguments: 'ptr' needs at least 2 template arguments, found 1
alias k = texture_storage_2d<rgba8unorm>;     // error template_arguments: 'texture_storage_2d' needs at least 2
alias l = texture_depth_2d<f32>;              // error template_arguments: 'texture_depth_2d' takes no template list
alias m = sampler<f32>;                       // error template_arguments: 'sampler' takes no template list
struct S { x : i32 }
alias n = S<i32>;                             // error template_arguments: 'S' takes no template list
alias o = vec2<three>;                        // error not_a_type: 'three' is a constant, not a type
alias p = vec2<1>;                            // error not_a_type: expected a type
alias q = vec2<S>;                            // error template_arguments: 'vec2' needs a scalar type here, found 'S'
alias r = vec2<vec2f>;                        // error template_arguments: found 'vec2<f32>'
alias s = mat2x2<i32>;                        // error template_arguments: 'mat2x2' needs f32 or f16 here, found 'i32'
alias t = mat3x3<bool>;                       // error template_arguments: found 'bool'
alias u = atomic<f32>;                        // error template_arguments: 'atomic' needs i32 or u32 here, found 'f32'
alias v = texture_2d<bool>;                   // error template_arguments: needs f32, i32 or u32 here, found 'bool'
alias w = texture_2d<vec4f>;                  // error template_arguments: found 'vec4<f32>'
alias x = texture_storage_2d<f32, write>;     // error template_arguments: 'f32' is a type, not a texel format
alias y = texture_storage_2d<rgba8unorm, uniform>;   // error template_arguments: 'uniform' is an address space, not an access mode
alias z = ptr<read, i32>;                     // error template_arguments: 'read' is an access mode, not an address space
alias z1 = texture_storage_2d<3, write>;      // error template_arguments: expected a texel format
alias z2 = texture_storage_2d<rgba8unorm<i32>, write>;   // error template_arguments: takes no template list
