// The structures that builtin functions return, and abstract results.
var<workgroup> w : atomic<u32>;
const a = frexp(1.5);
const b : f32 = a.fract;
const c = modf(vec2(1.5, 2.25)).whole;
const d : vec2<f32> = c;
const_assert frexp(8.0).exp == 4;
const_assert modf(-1.5).whole == -1;

fn use_results(f : f32, v : vec3<f32>) {
  let x = frexp(f);
  let y : i32 = x.exp;
  let z : vec3<i32> = frexp(v).exp;
  let p : vec3<f32> = modf(v).fract;
  let q = atomicCompareExchangeWeak(&w, 0, 1);
  let r : u32 = q.old_value;
  let s : bool = q.exchanged;
  var t = modf(f);
  t = modf(1.5);
  t = frexp(f);                      // error type_mismatch:
  _ = x.whole;                       // error unknown_member: 'whole'
}

// Constants of every function that may be one keep their abstract types.
const_assert abs(-1) == 1;
const_assert select(1, 2.5, true) == 2.5;
const_assert max(1, 2.5) == 2.5;
const_assert firstLeadingBit(1234 + 4567) == 12;
const_assert dot(vec2(1, 2), vec2(3, 4)) == 11;
const_assert transpose(mat2x3(1, 2, 3, 4, 5, 6))[0][1] == 4;
const_assert determinant(mat2x2(1, 2, 3, 4)) == -2;
const_assert bitcast<u32>(4294967295) == 0xffffffff;
const_assert bitcast<f32>(1065353216) == 1.0;
const_assert all(vec2(true)) && !any(vec2(false));
const_assert unpack4xU8(pack4xU8(vec4(1, 2, 3, 4))).w == 4;
const_assert dot4I8Packed(1, 2) == 2;
