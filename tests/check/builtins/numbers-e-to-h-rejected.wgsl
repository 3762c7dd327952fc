// Calls that no overload fits, and results that are dropped: functions of numbers, e to h.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> u1 : u32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;

fn use_exp() {
  _ = exp();  // error argument_count: 'exp' takes 1 argument, but 0 are given
  _ = exp(f1, i1);  // error argument_count: 'exp' takes 1 argument, but 2 are given
  _ = exp(w);  // error argument_type: 'W'
  exp(f1);  // error result_not_used: the result of 'exp' must be used
}

fn use_exp2() {
  _ = exp2();  // error argument_count: 'exp2' takes 1 argument, but 0 are given
  _ = exp2(f1, i1);  // error argument_count: 'exp2' takes 1 argument, but 2 are given
  _ = exp2(w);  // error argument_type: 'W'
  exp2(f1);  // error result_not_used: the result of 'exp2' must be used
}

fn use_extractBits() {
  _ = extractBits();  // error argument_count: 'extractBits' takes 3 arguments, but 0 are given
  _ = extractBits(i1, u1, u1, i1);  // error argument_count: 'extractBits' takes 3 arguments, but 4 are given
  _ = extractBits(w, u1, u1);  // error argument_type: 'W'
  _ = extractBits(i1, w, u1);  // error argument_type: 'W'
  _ = extractBits(i1, u1, w);  // error argument_type: 'W'
  extractBits(i1, u1, u1);  // error result_not_used: the result of 'extractBits' must be used
}

fn use_faceForward() {
  _ = faceForward();  // error argument_count: 'faceForward' takes 3 arguments, but 0 are given
  _ = faceForward(f2, f2, f2, i1);  // error argument_count: 'faceForward' takes 3 arguments, but 4 are given
  _ = faceForward(w, f2, f2);  // error argument_type: 'W'
  _ = faceForward(f2, w, f2);  // error argument_type: 'W'
  _ = faceForward(f2, f2, w);  // error argument_type: 'W'
  faceForward(f2, f2, f2);  // error result_not_used: the result of 'faceForward' must be used
}

fn use_firstLeadingBit() {
  _ = firstLeadingBit();  // error argument_count: 'firstLeadingBit' takes 1 argument, but 0 are given
  _ = firstLeadingBit(i1, i1);  // error argument_count: 'firstLeadingBit' takes 1 argument, but 2 are given
  _ = firstLeadingBit(w);  // error argument_type: 'W'
  firstLeadingBit(i1);  // error result_not_used: the result of 'firstLeadingBit' must be used
}

fn use_firstTrailingBit() {
  _ = firstTrailingBit();  // error argument_count: 'firstTrailingBit' takes 1 argument, but 0 are given
  _ = firstTrailingBit(i1, i1);  // error argument_count: 'firstTrailingBit' takes 1 argument, but 2 are given
  _ = firstTrailingBit(w);  // error argument_type: 'W'
  firstTrailingBit(i1);  // error result_not_used: the result of 'firstTrailingBit' must be used
}

fn use_floor() {
  _ = floor();  // error argument_count: 'floor' takes 1 argument, but 0 are given
  _ = floor(f1, i1);  // error argument_count: 'floor' takes 1 argument, but 2 are given
  _ = floor(w);  // error argument_type: 'W'
  floor(f1);  // error result_not_used: the result of 'floor' must be used
}

fn use_fma() {
  _ = fma();  // error argument_count: 'fma' takes 3 arguments, but 0 are given
  _ = fma(f1, f1, f1, i1);  // error argument_count: 'fma' takes 3 arguments, but 4 are given
  _ = fma(w, f1, f1);  // error argument_type: 'W'
  _ = fma(f1, w, f1);  // error argument_type: 'W'
  _ = fma(f1, f1, w);  // error argument_type: 'W'
  fma(f1, f1, f1);  // error result_not_used: the result of 'fma' must be used
}

fn use_fract() {
  _ = fract();  // error argument_count: 'fract' takes 1 argument, but 0 are given
  _ = fract(f1, i1);  // error argument_count: 'fract' takes 1 argument, but 2 are given
  _ = fract(w);  // error argument_type: 'W'
  fract(f1);  // error result_not_used: the result of 'fract' must be used
}

fn use_frexp() {
  _ = frexp();  // error argument_count: 'frexp' takes 1 argument, but 0 are given
  _ = frexp(f1, i1);  // error argument_count: 'frexp' takes 1 argument, but 2 are given
  _ = frexp(w);  // error argument_type: 'W'
  frexp(f1);  // error result_not_used: the result of 'frexp' must be used
}
