// Calls that no overload fits, and results that are dropped: functions of numbers, c to d.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> i2 : vec2<i32>;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f3 : vec3<f32>;
var<private> m22f : mat2x2<f32>;

fn use_ceil() {
  _ = ceil();  // error argument_count: 'ceil' takes 1 argument, but 0 are given
  _ = ceil(f1, i1);  // error argument_count: 'ceil' takes 1 argument, but 2 are given
  _ = ceil(w);  // error argument_type: 'W'
  ceil(f1);  // error result_not_used: the result of 'ceil' must be used
}

fn use_clamp() {
  _ = clamp();  // error argument_count: 'clamp' takes 3 arguments, but 0 are given
  _ = clamp(i1, i1, i1, i1);  // error argument_count: 'clamp' takes 3 arguments, but 4 are given
  _ = clamp(w, i1, i1);  // error argument_type: 'W'
  _ = clamp(i1, w, i1);  // error argument_type: 'W'
  _ = clamp(i1, i1, w);  // error argument_type: 'W'
  clamp(i1, i1, i1);  // error result_not_used: the result of 'clamp' must be used
}

fn use_cos() {
  _ = cos();  // error argument_count: 'cos' takes 1 argument, but 0 are given
  _ = cos(f1, i1);  // error argument_count: 'cos' takes 1 argument, but 2 are given
  _ = cos(w);  // error argument_type: 'W'
  cos(f1);  // error result_not_used: the result of 'cos' must be used
}

fn use_cosh() {
  _ = cosh();  // error argument_count: 'cosh' takes 1 argument, but 0 are given
  _ = cosh(f1, i1);  // error argument_count: 'cosh' takes 1 argument, but 2 are given
  _ = cosh(w);  // error argument_type: 'W'
  cosh(f1);  // error result_not_used: the result of 'cosh' must be used
}

fn use_countLeadingZeros() {
  _ = countLeadingZeros();  // error argument_count: 'countLeadingZeros' takes 1 argument, but 0 are given
  _ = countLeadingZeros(i1, i1);  // error argument_count: 'countLeadingZeros' takes 1 argument, but 2 are given
  _ = countLeadingZeros(w);  // error argument_type: 'W'
  countLeadingZeros(i1);  // error result_not_used: the result of 'countLeadingZeros' must be used
}

fn use_countOneBits() {
  _ = countOneBits();  // error argument_count: 'countOneBits' takes 1 argument, but 0 are given
  _ = countOneBits(i1, i1);  // error argument_count: 'countOneBits' takes 1 argument, but 2 are given
  _ = countOneBits(w);  // error argument_type: 'W'
  countOneBits(i1);  // error result_not_used: the result of 'countOneBits' must be used
}

fn use_countTrailingZeros() {
  _ = countTrailingZeros();  // error argument_count: 'countTrailingZeros' takes 1 argument, but 0 are given
  _ = countTrailingZeros(i1, i1);  // error argument_count: 'countTrailingZeros' takes 1 argument, but 2 are given
  _ = countTrailingZeros(w);  // error argument_type: 'W'
  countTrailingZeros(i1);  // error result_not_used: the result of 'countTrailingZeros' must be used
}

fn use_cross() {
  _ = cross();  // error argument_count: 'cross' takes 2 arguments, but 0 are given
  _ = cross(f3, f3, i1);  // error argument_count: 'cross' takes 2 arguments, but 3 are given
  _ = cross(w, f3);  // error argument_type: 'W'
  _ = cross(f3, w);  // error argument_type: 'W'
  cross(f3, f3);  // error result_not_used: the result of 'cross' must be used
}

fn use_degrees() {
  _ = degrees();  // error argument_count: 'degrees' takes 1 argument, but 0 are given
  _ = degrees(f1, i1);  // error argument_count: 'degrees' takes 1 argument, but 2 are given
  _ = degrees(w);  // error argument_type: 'W'
  degrees(f1);  // error result_not_used: the result of 'degrees' must be used
}

fn use_determinant() {
  _ = determinant();  // error argument_count: 'determinant' takes 1 argument, but 0 are given
  _ = determinant(m22f, i1);  // error argument_count: 'determinant' takes 1 argument, but 2 are given
  _ = determinant(w);  // error argument_type: 'W'
  determinant(m22f);  // error result_not_used: the result of 'determinant' must be used
}

fn use_distance() {
  _ = distance();  // error argument_count: 'distance' takes 2 arguments, but 0 are given
  _ = distance(f1, f1, i1);  // error argument_count: 'distance' takes 2 arguments, but 3 are given
  _ = distance(w, f1);  // error argument_type: 'W'
  _ = distance(f1, w);  // error argument_type: 'W'
  distance(f1, f1);  // error result_not_used: the result of 'distance' must be used
}

fn use_dot() {
  _ = dot();  // error argument_count: 'dot' takes 2 arguments, but 0 are given
  _ = dot(i2, i2, i1);  // error argument_count: 'dot' takes 2 arguments, but 3 are given
  _ = dot(w, i2);  // error argument_type: 'W'
  _ = dot(i2, w);  // error argument_type: 'W'
  dot(i2, i2);  // error result_not_used: the result of 'dot' must be used
}

fn use_dot4I8Packed() {
  _ = dot4I8Packed();  // error argument_count: 'dot4I8Packed' takes 2 arguments, but 0 are given
  _ = dot4I8Packed(u1, u1, i1);  // error argument_count: 'dot4I8Packed' takes 2 arguments, but 3 are given
  _ = dot4I8Packed(w, u1);  // error argument_type: 'W'
  _ = dot4I8Packed(u1, w);  // error argument_type: 'W'
  dot4I8Packed(u1, u1);  // error result_not_used: the result of 'dot4I8Packed' must be used
}

fn use_dot4U8Packed() {
  _ = dot4U8Packed();  // error argument_count: 'dot4U8Packed' takes 2 arguments, but 0 are given
  _ = dot4U8Packed(u1, u1, i1);  // error argument_count: 'dot4U8Packed' takes 2 arguments, but 3 are given
  _ = dot4U8Packed(w, u1);  // error argument_type: 'W'
  _ = dot4U8Packed(u1, w);  // error argument_type: 'W'
  dot4U8Packed(u1, u1);  // error result_not_used: the result of 'dot4U8Packed' must be used
}
