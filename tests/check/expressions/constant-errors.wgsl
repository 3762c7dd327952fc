// What is an error in constant evaluation: numbers that do not fit, division by
// zero, shift amounts, arguments outside of a function's domain, indices.
enable f16;
const a1 = 9223372036854775807 + 1;       // error overflow: 9223372036854775807 + 1 does not fit in 'abstract-int'
const a2 = 3e38f * 10f;                   // error overflow: does not fit in 'f32'
const a3 = 60000h * 2h;                   // error overflow: does not fit in 'f16'
const a4 = exp(100f);                     // error overflow: does not fit in 'f32'
const a5 = mat2x2(1e38f, 0, 0, 1) * vec2(10f, 1);   // error overflow: does not fit in 'f32'
const a6 = length(vec2(1e30f));           // error overflow: does not fit in 'f32'
const a7 = 1i << 31u;                     // error overflow: 1 << 31 does not fit in 'i32'
const a8 = 3u << 31u;                     // error overflow: 3 << 31 does not fit in 'u32'
const a9 = 1 << 63u;                      // error overflow: does not fit in 'abstract-int'
const b1 = 1 / 0;                         // error division_by_zero:
const b2 = 5u % 0u;                       // error division_by_zero:
const b3 = 1.0 / 0.0;                     // error division_by_zero:
const b4 = vec2(1, 2) / vec2(1, 0);       // error division_by_zero:
const b5 = vec3(1f) / 0f;                 // error division_by_zero:
const b6 = 1.5 % 0.0;                     // error division_by_zero:
const c1 = 1i << 32u;                     // error shift_amount: cannot shift a value of type 'i32' by 32 bits
const c2 = 1u >> 33u;                     // error shift_amount: by 33 bits
const c3 = vec2(1u) << vec2(1u, 32u);     // error shift_amount:
const d1 = sqrt(-1.0);                    // error domain: sqrt(-1.0) is not defined
const d2 = log(0.0);                      // error domain:
const d3 = acos(2.0);                     // error domain:
const d4 = pow(-1.0, 0.5);                // error domain:
const d5 = clamp(1, 3, 2);                // error domain: clamp to an empty range
const d6 = extractBits(1u, 30u, 4u);      // error domain:
const d7 = normalize(vec3(0.0));          // error domain:
const d8 = ldexp(1f, 200);                // error domain:
const e1 = bitcast<f32>(0x7f800000u);     // error not_finite:
const e2 = bitcast<vec2<f16>>(0x7c000000u);   // error not_finite:
const f1 : u32 = -1;                      // error conversion_range: -1 does not fit in 'u32'
const f2 : i32 = 2147483648;              // error conversion_range:
const f3 = f16(70000);                    // error conversion_range:
const f4 = f32(1e39);                     // error conversion_range:
const f5 = pack2x16float(vec2(1e10f, 0)); // error conversion_range:
const g1 = vec3(1, 2, 3)[3];              // error index_out_of_bounds:
const g2 = array(1, 2)[-1];               // error index_out_of_bounds:
fn runtime(x : i32, u : u32) -> i32 {
  _ = x / 0;                              // error division_by_zero:
  _ = u % 0u;                             // error division_by_zero:
  _ = x << 32u;                           // error shift_amount:
  _ = vec2(x) >> vec2(31u, 40u);          // error shift_amount:
  return x;
}
