@group(0) @binding(0) var<storage, read_write> s : array<atomic<u32>, 4>;
@group(0) @binding(1) var<storage> r : array<u32>;
@group(0) @binding(2) var t : texture_2d<f32>;
@group(0) @binding(3) var sam : sampler;
fn nothing() {}
fn f() {
  let a = s[0];                       // error not_loadable: use atomicLoad to read an atomic
  let b = s;                          // error not_loadable: it contains an atomic
  let c = r;                          // error not_loadable: it contains a runtime-sized array
  let d : i32 = 1.5;                  // error type_mismatch: the initializer of 'd' must have the type 'i32', found 'abstract-float'
  let e : i32 = 3000000000;           // error conversion_range: 3000000000 does not fit in 'i32'
  let g = 3000000000;                 // error conversion_range:
  let h = nothing();                  // error no_result:
  let i : ptr<function, i32> = 1;     // error type_mismatch:
  let j : atomic<u32> = 1;            // error invalid_declared_type: 'j' cannot have the type 'atomic<u32>'
  let k = 1;
  k = 2;                              // error not_assignable: it is a value, not a place in memory
}
fn accepted(p : ptr<function, i32>) {
  var v = vec2(1, 2);
  let a = 1;
  let b : f32 = 1;
  let c = &v;
  let d = p;
  let e : ptr<function, i32> = p;
  let f = v;
  let g = t;
  let h = sam;
  let i = &s;
  let j = &r[1];
  let k : texture_2d<f32> = t;
  _ = textureSampleLevel(g, h, vec2f(), 0);
}
