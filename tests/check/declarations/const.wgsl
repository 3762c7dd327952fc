override o = 1;
var<private> v = 1;
@group(0) @binding(0) var t : texture_2d<f32>;
const a = o;                          // error not_const: the initializer of 'a' must be a const-expression
const b = v;                          // error not_const: the initializer of 'b'
const c : i32 = 1.5;                  // error type_mismatch: the initializer of 'c' must have the type 'i32', found 'abstract-float'
const d : u32 = -1;                   // error conversion_range: -1 does not fit in 'u32'
const e : f32 = true;                 // error type_mismatch: must have the type 'f32', found 'bool'
const f : atomic<u32> = 1;            // error invalid_declared_type: 'f' cannot have the type 'atomic<u32>': a constant must be constructible
const g : array<i32> = array(1);      // error invalid_declared_type: 'g'
const h = callee();                   // error not_const: the initializer of 'h'
const i : sampler = 1;                // error invalid_declared_type: 'i'
fn callee() -> i32 {
  let l = 1;
  const j = l;                        // error not_const: the initializer of 'j'
  const k = a + 1;
  const m = k;
  return l;
}
