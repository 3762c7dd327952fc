override o = 4;
struct S { x : i32 }
struct A { x : atomic<u32> }
fn accepted(a : i32, b : vec3f, c : mat4x4f, d : array<S, 3>, e : S, f : ptr<function, S>,
            g : texture_2d<f32>, h : sampler, i : ptr<workgroup, array<i32, o>>,
            j : ptr<storage, A, read_write>, k : texture_storage_2d<r32uint, write>,
            l : bool,) {}
fn a(x : atomic<u32>) {}              // error invalid_parameter_type: a parameter cannot have the type 'atomic<u32>'
fn b(x : A) {}                        // error invalid_parameter_type: 'A'
fn c(x : array<i32>) {}               // error invalid_parameter_type: 'array<i32>'
fn d(x : array<i32, o>) {}            // error invalid_parameter_type: 'array<i32, o>'
fn e(x : buffer) {}                   // error invalid_parameter_type: 'buffer'
fn f() -> A { }                       // error invalid_result_type: a function cannot return 'A': it is not constructible
fn g() -> array<i32> { }              // error invalid_result_type:
fn h() -> ptr<function, i32> { }      // error invalid_result_type:
fn i() -> texture_2d<f32> { }         // error invalid_result_type:
fn j() -> atomic<i32> { }             // error invalid_result_type:
fn k() -> array<i32, o> { }           // error invalid_result_type:
