// Calls that no overload fits, and results that are dropped: functions of numbers, i to p.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;

fn use_insertBits() {
  _ = insertBits();  // error argument_count: 'insertBits' takes 4 arguments, but 0 are given
  _ = insertBits(i1, i1, u1, u1, i1);  // error argument_count: 'insertBits' takes 4 arguments, but 5 are given
  _ = insertBits(w, i1, u1, u1);  // error argument_type: 'W'
  _ = insertBits(i1, w, u1, u1);  // error argument_type: 'W'
  _ = insertBits(i1, i1, w, u1);  // error argument_type: 'W'
  _ = insertBits(i1, i1, u1, w);  // error argument_type: 'W'
  insertBits(i1, i1, u1, u1);  // error result_not_used: the result of 'insertBits' must be used
}

fn use_inverseSqrt() {
  _ = inverseSqrt();  // error argument_count: 'inverseSqrt' takes 1 argument, but 0 are given
  _ = inverseSqrt(f1, i1);  // error argument_count: 'inverseSqrt' takes 1 argument, but 2 are given
  _ = inverseSqrt(w);  // error argument_type: 'W'
  inverseSqrt(f1);  // error result_not_used: the result of 'inverseSqrt' must be used
}

fn use_ldexp() {
  _ = ldexp();  // error argument_count: 'ldexp' takes 2 arguments, but 0 are given
  _ = ldexp(f1, i1, i1);  // error argument_count: 'ldexp' takes 2 arguments, but 3 are given
  _ = ldexp(w, i1);  // error argument_type: 'W'
  _ = ldexp(f1, w);  // error argument_type: 'W'
  ldexp(f1, i1);  // error result_not_used: the result of 'ldexp' must be used
}

fn use_length() {
  _ = length();  // error argument_count: 'length' takes 1 argument, but 0 are given
  _ = length(f1, i1);  // error argument_count: 'length' takes 1 argument, but 2 are given
  _ = length(w);  // error argument_type: 'W'
  length(f1);  // error result_not_used: the result of 'length' must be used
}

fn use_log() {
  _ = log();  // error argument_count: 'log' takes 1 argument, but 0 are given
  _ = log(f1, i1);  // error argument_count: 'log' takes 1 argument, but 2 are given
  _ = log(w);  // error argument_type: 'W'
  log(f1);  // error result_not_used: the result of 'log' must be used
}

fn use_log2() {
  _ = log2();  // error argument_count: 'log2' takes 1 argument, but 0 are given
  _ = log2(f1, i1);  // error argument_count: 'log2' takes 1 argument, but 2 are given
  _ = log2(w);  // error argument_type: 'W'
  log2(f1);  // error result_not_used: the result of 'log2' must be used
}

fn use_max() {
  _ = max();  // error argument_count: 'max' takes 2 arguments, but 0 are given
  _ = max(i1, i1, i1);  // error argument_count: 'max' takes 2 arguments, but 3 are given
  _ = max(w, i1);  // error argument_type: 'W'
  _ = max(i1, w);  // error argument_type: 'W'
  max(i1, i1);  // error result_not_used: the result of 'max' must be used
}

fn use_min() {
  _ = min();  // error argument_count: 'min' takes 2 arguments, but 0 are given
  _ = min(i1, i1, i1);  // error argument_count: 'min' takes 2 arguments, but 3 are given
  _ = min(w, i1);  // error argument_type: 'W'
  _ = min(i1, w);  // error argument_type: 'W'
  min(i1, i1);  // error result_not_used: the result of 'min' must be used
}

fn use_mix() {
  _ = mix();  // error argument_count: 'mix' takes 3 arguments, but 0 are given
  _ = mix(f1, f1, f1, i1);  // error argument_count: 'mix' takes 3 arguments, but 4 are given
  _ = mix(w, f1, f1);  // error argument_type: 'W'
  _ = mix(f1, w, f1);  // error argument_type: 'W'
  _ = mix(f1, f1, w);  // error argument_type: 'W'
  mix(f1, f1, f1);  // error result_not_used: the result of 'mix' must be used
}

fn use_modf() {
  _ = modf();  // error argument_count: 'modf' takes 1 argument, but 0 are given
  _ = modf(f1, i1);  // error argument_count: 'modf' takes 1 argument, but 2 are given
  _ = modf(w);  // error argument_type: 'W'
  modf(f1);  // error result_not_used: the result of 'modf' must be used
}

fn use_normalize() {
  _ = normalize();  // error argument_count: 'normalize' takes 1 argument, but 0 are given
  _ = normalize(f2, i1);  // error argument_count: 'normalize' takes 1 argument, but 2 are given
  _ = normalize(w);  // error argument_type: 'W'
  normalize(f2);  // error result_not_used: the result of 'normalize' must be used
}

fn use_pow() {
  _ = pow();  // error argument_count: 'pow' takes 2 arguments, but 0 are given
  _ = pow(f1, f1, i1);  // error argument_count: 'pow' takes 2 arguments, but 3 are given
  _ = pow(w, f1);  // error argument_type: 'W'
  _ = pow(f1, w);  // error argument_type: 'W'
  pow(f1, f1);  // error result_not_used: the result of 'pow' must be used
}
