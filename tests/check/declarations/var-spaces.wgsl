// Address spaces: where they may stand, what they may hold, their initializers.
struct S { x : vec4f, y : array<vec4f, 2> }
struct B { x : vec2<bool> }
struct A { x : atomic<u32> }
struct R { n : u32, items : array<u32> }
struct N { s : S }
var a : i32;                                            // error invalid_address_space: 'i32' needs an address space
var<function> b : i32;                                  // error invalid_address_space: must be declared in a function
var<private> c : atomic<u32>;                           // error invalid_store_type: it contains an atomic
var<private> d : array<u32>;                            // error invalid_store_type: it contains a runtime-sized array
var<private> e : sampler;                               // error invalid_store_type: it is not made of plain values
var<workgroup> f : i32 = 1;                             // error initializer_not_allowed: in the address space 'workgroup'
var<workgroup> g : R;                                   // error invalid_store_type: it contains a runtime-sized array
var<workgroup> h : texture_2d<f32>;                     // error invalid_store_type: it is not made of plain values
@group(0) @binding(0) var<uniform> i : A;               // error invalid_store_type: it contains an atomic
@group(0) @binding(1) var<uniform> j : R;               // error invalid_store_type: it contains a runtime-sized array
@group(0) @binding(2) var<uniform> k : bool;            // error invalid_store_type: it cannot be shared with the host
@group(0) @binding(3) var<uniform> l : i32 = 1;         // error initializer_not_allowed: 'uniform'
@group(0) @binding(4) var<storage> m : B;               // error invalid_store_type: it cannot be shared with the host
@group(0) @binding(5) var<storage> n : A;               // error invalid_store_type: needs the access mode 'read_write'
@group(0) @binding(6) var<storage, write> o : u32;      // error invalid_access_mode: not 'write'
@group(0) @binding(7) var<uniform, read> p : u32;       // error invalid_access_mode: not for 'uniform'
@group(0) @binding(8) var<storage> q : sampler;         // error invalid_store_type: it cannot be shared with the host
@group(0) @binding(9) var<storage> r : ptr<private, i32>;   // error invalid_store_type: it cannot be shared
var<private> s = 1u + v;                                // error not_override: must be a const- or override-expression
var<private> v = 1u;
var<private> t;                                         // error missing_initializer: 't' needs a type or an initializer
var<private, read_write> u : i32;                       // error invalid_access_mode: not for 'private'
var<read> w : i32;                                      // error template_arguments: 'read' is an access mode, not an address space
var<storage, uniform> x : i32;                          // error template_arguments: 'uniform' is an address space, not an access mode
var<handle> y : sampler;                                // error unresolved_name: 'handle'
var<immediate> z : array<u32, 2>;                       // error invalid_store_type: it contains an array
var<immediate> z1 : N;                                  // error invalid_store_type: it contains an array
var<immediate> z2 : bool;                               // error invalid_store_type: it cannot be shared with the host
var<immediate> z3 : u32 = 1;                            // error initializer_not_allowed: 'immediate'
@group(0) @binding(10) var z4 : texture_2d<f32> = 1;    // error initializer_not_allowed: 'handle'
fn fun() {
  var<private> a : i32;                                 // error invalid_address_space: must be declared at module scope
  var<storage> b : i32;                                 // error invalid_address_space: must be declared at module scope
  var<workgroup> c : i32;                               // error invalid_address_space: must be declared at module scope
  var d : atomic<u32>;                                  // error invalid_store_type: it contains an atomic
  var e : R;                                            // error invalid_store_type: it contains a runtime-sized array
  var g : sampler;                                      // error invalid_store_type: it is not made of plain values
  var h : ptr<function, i32>;                           // error invalid_store_type: it is not made of plain values
  var<function, read_write> i : i32;                    // error invalid_access_mode: not for 'function'
  var j;                                                // error missing_initializer: 'j' needs a type or an initializer
  var k : i32 = 2.5;                                    // error type_mismatch: the initializer of 'k' must have the type 'i32'
  var l = &k;                                           // error invalid_store_type: it is not made of plain values
}
