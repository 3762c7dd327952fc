// What arrays and structures cannot hold.
override o = 4;
struct Run { items : array<i32> }
alias a = array<array<i32>, 3>;               // error invalid_element_type: it contains a runtime-sized array
alias b = array<Run, 3>;                      // error invalid_element_type: it contains a runtime-sized array
alias c = array<array<i32, o>, 3>;            // error invalid_element_type: has a size that is not fixed when the module is made
alias d = array<sampler, 3>;                  // error invalid_element_type: it is not made of plain values
alias e = array<texture_2d<f32>, 3>;          // error invalid_element_type: is not made of plain values
alias f = array<ptr<function, i32>, 3>;       // error invalid_element_type: is not made of plain values
alias g = array<buffer<16>, 3>;               // error invalid_element_type: is not made of plain values
struct S1 { x : array<i32>, y : i32 }         // error invalid_member_type: a runtime-sized array must be the last member
struct S2 { x : Run }                         // error invalid_member_type: it contains a runtime-sized array
struct S3 { x : array<i32, o> }               // error invalid_member_type: its size is not fixed
struct S4 { x : sampler }                     // error invalid_member_type: it is not made of plain values
struct S5 { x : texture_external }            // error invalid_member_type: it is not made of plain values
struct S6 { x : ptr<private, i32> }           // error invalid_member_type: it is not made of plain values
struct S7 { x : buffer }                      // error invalid_member_type: it is not made of plain values
struct S8 {}                                  // error empty_structure: 'S8' must have at least one member
struct Fine { a : i32, b : vec3<bool>, c : atomic<u32>, d : array<Inner, 3>, e : Inner, f : array<f32> }
struct Inner { m : mat4x4f }
