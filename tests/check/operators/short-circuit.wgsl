// The right side of && and || is not evaluated if the left side decides: what
// would be an error in its value is none. Its types must still be right, and
// sizes in its types are evaluated.
const a = false && (1 / 0 == 0);
const b = true || (10i < i32(5 * 1000 * 1000 * 1000));
const c = false && array<u32, 1 + 2>(0, 1, 2)[0] == 0;
const d = false && (true || 1 % 0 == 1);
const e = false && select(1, 2, 1 / 0 > 0) > 0;
const_assert !a && b && !c && !d && !e;

const f = true && (1 / 0 == 0);          // error division_by_zero:
const g = false || (1 % 0 == 0);         // error division_by_zero:
const h = false && 1;                    // error operand_type: must be 'bool'
const i = false && array<u32, 1 / 0>()[0] == 0;  // error division_by_zero:

// The same in expressions that the run time evaluates.
@group(0) @binding(0) var t : texture_2d<f32>;
@group(0) @binding(1) var s : sampler;
override o : i32;
fn runtime(x : i32, p : vec2<f32>) {
  let j = false && (x > 1 / 0);
  let k = true || (x / 0 > 1) || clamp(x, 2, 1) > 0;
  let l = true || (x + 5000000000) > 0;
  let m = false && (x > o + 5000000000);
  let n = false && x << 40 > 0;
  // What must be a constant is one, evaluated or not.
  let q = false && textureGather(9, t, s, p).x > 0;      // error argument_range: is 9
  let r = false && textureGather(x, t, s, p).x > 0;      // error not_const: 'component'
  let u = false && textureGather(1 / 0, t, s, p).x > 0;  // error not_const: has no value
}
