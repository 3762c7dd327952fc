// Calls that no overload fits, and results that are dropped: functions of numbers, a to b.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> f1 : f32;

fn use_abs() {
  _ = abs();  // error argument_count: 'abs' takes 1 argument, but 0 are given
  _ = abs(i1, i1);  // error argument_count: 'abs' takes 1 argument, but 2 are given
  _ = abs(w);  // error argument_type: 'W'
  abs(i1);  // error result_not_used: the result of 'abs' must be used
}

fn use_acos() {
  _ = acos();  // error argument_count: 'acos' takes 1 argument, but 0 are given
  _ = acos(f1, i1);  // error argument_count: 'acos' takes 1 argument, but 2 are given
  _ = acos(w);  // error argument_type: 'W'
  acos(f1);  // error result_not_used: the result of 'acos' must be used
}

fn use_acosh() {
  _ = acosh();  // error argument_count: 'acosh' takes 1 argument, but 0 are given
  _ = acosh(f1, i1);  // error argument_count: 'acosh' takes 1 argument, but 2 are given
  _ = acosh(w);  // error argument_type: 'W'
  acosh(f1);  // error result_not_used: the result of 'acosh' must be used
}

fn use_asin() {
  _ = asin();  // error argument_count: 'asin' takes 1 argument, but 0 are given
  _ = asin(f1, i1);  // error argument_count: 'asin' takes 1 argument, but 2 are given
  _ = asin(w);  // error argument_type: 'W'
  asin(f1);  // error result_not_used: the result of 'asin' must be used
}

fn use_asinh() {
  _ = asinh();  // error argument_count: 'asinh' takes 1 argument, but 0 are given
  _ = asinh(f1, i1);  // error argument_count: 'asinh' takes 1 argument, but 2 are given
  _ = asinh(w);  // error argument_type: 'W'
  asinh(f1);  // error result_not_used: the result of 'asinh' must be used
}

fn use_atan() {
  _ = atan();  // error argument_count: 'atan' takes 1 argument, but 0 are given
  _ = atan(f1, i1);  // error argument_count: 'atan' takes 1 argument, but 2 are given
  _ = atan(w);  // error argument_type: 'W'
  atan(f1);  // error result_not_used: the result of 'atan' must be used
}

fn use_atan2() {
  _ = atan2();  // error argument_count: 'atan2' takes 2 arguments, but 0 are given
  _ = atan2(f1, f1, i1);  // error argument_count: 'atan2' takes 2 arguments, but 3 are given
  _ = atan2(w, f1);  // error argument_type: 'W'
  _ = atan2(f1, w);  // error argument_type: 'W'
  atan2(f1, f1);  // error result_not_used: the result of 'atan2' must be used
}

fn use_atanh() {
  _ = atanh();  // error argument_count: 'atanh' takes 1 argument, but 0 are given
  _ = atanh(f1, i1);  // error argument_count: 'atanh' takes 1 argument, but 2 are given
  _ = atanh(w);  // error argument_type: 'W'
  atanh(f1);  // error result_not_used: the result of 'atanh' must be used
}
