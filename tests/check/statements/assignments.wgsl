struct A { x : atomic<u32> }
@group(0) @binding(0) var<storage, read_write> a : A;
@group(0) @binding(1) var<storage, read_write> r : array<u32>;
const c = 1;
override o = 1;
fn nothing() {}
fn f(p : i32) {
  var i = 1;
  var v = vec3f();
  var m = mat2x2f();
  var b = true;
  i += 1; i -= p; i *= 2; i /= 3; i %= 4; i &= 5; i |= 6; i ^= 7; i <<= 1; i >>= 1u;
  v *= 2; v += vec3f(1); v /= 3; m *= m; m *= 2; b |= true;
  v = v * 2;
  i++; i--;
  _ = i; _ = 1; _ = &i; _ = nothing;    // error not_a_value: 'nothing' is a function, not a value
  _ = 1 << 40; _ = vec2(1e300, 2);
  _ = 1 << 80;                          // error overflow:
  i += 1.5;                             // error operand_type: '+=' cannot be applied to 'i32' and 'abstract-float'
  v += m;                               // error operand_type:
  v *= m;                               // error operand_type:
  i += b;                               // error operand_type:
  i <<= -1;                             // error conversion_range: -1 does not fit in 'u32'
  i <<= 32;                             // error shift_amount:
  i /= 0;                               // error division_by_zero:
  v++;                                  // error invalid_increment: '++' needs an i32 or u32 variable, found 'vec3<f32>'
  b--;                                  // error invalid_increment: '--' needs an i32 or u32 variable, found 'bool'
  v.x++;                                // error invalid_increment: found 'f32'
  p = 2;                                // error not_assignable: it is a value
  p++;                                  // error not_assignable: it is a value
  p += 1;                               // error not_assignable: it is a value
  c = 2;                                // error not_assignable: it is a value
  o = 2;                                // error not_assignable: it is a value
  i = nothing();                        // error no_result:
  a = a;                                // error not_assignable: its type is not constructible // error not_loadable: it contains an atomic
  _ = r;                                // error not_loadable: it contains a runtime-sized array
  _ = nothing();                        // error no_result:
}
