// Where an f64 cannot be.
enable weft_f64;

struct S { a : f64 }

@group(0) @binding(0) var<uniform> u : f64;        // error invalid_store_type: 'f64' cannot be stored in the address space 'uniform': it contains an f64
@group(0) @binding(1) var<uniform> v : S;          // error invalid_store_type: 'S' cannot be stored
var<immediate> i : vec2d;                          // error invalid_store_type: 'vec2<f64>' cannot be stored in the address space 'immediate'
var<workgroup> a : atomic<f64>;                    // error template_arguments: 'atomic' needs i32 or u32
const big = 1e309lf;                               // error literal_range: is above the largest f64
const inexact = 0x1.00000000000001p0lf;            // error literal_range: cannot be represented exactly as an f64
const short = 0x1lf;                               // error invalid_literal: needs an exponent before the suffix 'lf'
const overflow = 1e300lf * 1e300lf;                // error overflow: 1e+300 * 1e+300 does not fit in 'f64'
const narrow = f32(1e300lf);                       // error conversion_range: 1e+300 does not fit in 'f32'
const bits = bitcast<vec2u>(1lf);                  // error argument_type: the bits of 'f64' cannot be read as 'vec2<u32>'
const mixed = 1lf + 1f;                            // error operand_type: '+' cannot be applied to 'f64' and 'f32'

@fragment
fn f(@location(0) x : f64) -> @location(0) vec4f { // error invalid_io_type: not 'f64'
  return vec4f(f32(x));
}
