// Calls that no overload fits, and results that are dropped: functions of numbers, q to z.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> m22f : mat2x2<f32>;

fn use_quantizeToF16() {
  _ = quantizeToF16();  // error argument_count: 'quantizeToF16' takes 1 argument, but 0 are given
  _ = quantizeToF16(f1, i1);  // error argument_count: 'quantizeToF16' takes 1 argument, but 2 are given
  _ = quantizeToF16(w);  // error argument_type: 'W'
  quantizeToF16(f1);  // error result_not_used: the result of 'quantizeToF16' must be used
}

fn use_radians() {
  _ = radians();  // error argument_count: 'radians' takes 1 argument, but 0 are given
  _ = radians(f1, i1);  // error argument_count: 'radians' takes 1 argument, but 2 are given
  _ = radians(w);  // error argument_type: 'W'
  radians(f1);  // error result_not_used: the result of 'radians' must be used
}

fn use_reflect() {
  _ = reflect();  // error argument_count: 'reflect' takes 2 arguments, but 0 are given
  _ = reflect(f2, f2, i1);  // error argument_count: 'reflect' takes 2 arguments, but 3 are given
  _ = reflect(w, f2);  // error argument_type: 'W'
  _ = reflect(f2, w);  // error argument_type: 'W'
  reflect(f2, f2);  // error result_not_used: the result of 'reflect' must be used
}

fn use_refract() {
  _ = refract();  // error argument_count: 'refract' takes 3 arguments, but 0 are given
  _ = refract(f2, f2, f1, i1);  // error argument_count: 'refract' takes 3 arguments, but 4 are given
  _ = refract(w, f2, f1);  // error argument_type: 'W'
  _ = refract(f2, w, f1);  // error argument_type: 'W'
  _ = refract(f2, f2, w);  // error argument_type: 'W'
  refract(f2, f2, f1);  // error result_not_used: the result of 'refract' must be used
}

fn use_reverseBits() {
  _ = reverseBits();  // error argument_count: 'reverseBits' takes 1 argument, but 0 are given
  _ = reverseBits(i1, i1);  // error argument_count: 'reverseBits' takes 1 argument, but 2 are given
  _ = reverseBits(w);  // error argument_type: 'W'
  reverseBits(i1);  // error result_not_used: the result of 'reverseBits' must be used
}

fn use_round() {
  _ = round();  // error argument_count: 'round' takes 1 argument, but 0 are given
  _ = round(f1, i1);  // error argument_count: 'round' takes 1 argument, but 2 are given
  _ = round(w);  // error argument_type: 'W'
  round(f1);  // error result_not_used: the result of 'round' must be used
}

fn use_saturate() {
  _ = saturate();  // error argument_count: 'saturate' takes 1 argument, but 0 are given
  _ = saturate(f1, i1);  // error argument_count: 'saturate' takes 1 argument, but 2 are given
  _ = saturate(w);  // error argument_type: 'W'
  saturate(f1);  // error result_not_used: the result of 'saturate' must be used
}

fn use_sign() {
  _ = sign();  // error argument_count: 'sign' takes 1 argument, but 0 are given
  _ = sign(i1, i1);  // error argument_count: 'sign' takes 1 argument, but 2 are given
  _ = sign(w);  // error argument_type: 'W'
  sign(i1);  // error result_not_used: the result of 'sign' must be used
}

fn use_sin() {
  _ = sin();  // error argument_count: 'sin' takes 1 argument, but 0 are given
  _ = sin(f1, i1);  // error argument_count: 'sin' takes 1 argument, but 2 are given
  _ = sin(w);  // error argument_type: 'W'
  sin(f1);  // error result_not_used: the result of 'sin' must be used
}

fn use_sinh() {
  _ = sinh();  // error argument_count: 'sinh' takes 1 argument, but 0 are given
  _ = sinh(f1, i1);  // error argument_count: 'sinh' takes 1 argument, but 2 are given
  _ = sinh(w);  // error argument_type: 'W'
  sinh(f1);  // error result_not_used: the result of 'sinh' must be used
}

fn use_smoothstep() {
  _ = smoothstep();  // error argument_count: 'smoothstep' takes 3 arguments, but 0 are given
  _ = smoothstep(f1, f1, f1, i1);  // error argument_count: 'smoothstep' takes 3 arguments, but 4 are given
  _ = smoothstep(w, f1, f1);  // error argument_type: 'W'
  _ = smoothstep(f1, w, f1);  // error argument_type: 'W'
  _ = smoothstep(f1, f1, w);  // error argument_type: 'W'
  smoothstep(f1, f1, f1);  // error result_not_used: the result of 'smoothstep' must be used
}

fn use_sqrt() {
  _ = sqrt();  // error argument_count: 'sqrt' takes 1 argument, but 0 are given
  _ = sqrt(f1, i1);  // error argument_count: 'sqrt' takes 1 argument, but 2 are given
  _ = sqrt(w);  // error argument_type: 'W'
  sqrt(f1);  // error result_not_used: the result of 'sqrt' must be used
}

fn use_step() {
  _ = step();  // error argument_count: 'step' takes 2 arguments, but 0 are given
  _ = step(f1, f1, i1);  // error argument_count: 'step' takes 2 arguments, but 3 are given
  _ = step(w, f1);  // error argument_type: 'W'
  _ = step(f1, w);  // error argument_type: 'W'
  step(f1, f1);  // error result_not_used: the result of 'step' must be used
}

fn use_tan() {
  _ = tan();  // error argument_count: 'tan' takes 1 argument, but 0 are given
  _ = tan(f1, i1);  // error argument_count: 'tan' takes 1 argument, but 2 are given
  _ = tan(w);  // error argument_type: 'W'
  tan(f1);  // error result_not_used: the result of 'tan' must be used
}

fn use_tanh() {
  _ = tanh();  // error argument_count: 'tanh' takes 1 argument, but 0 are given
  _ = tanh(f1, i1);  // error argument_count: 'tanh' takes 1 argument, but 2 are given
  _ = tanh(w);  // error argument_type: 'W'
  tanh(f1);  // error result_not_used: the result of 'tanh' must be used
}

fn use_transpose() {
  _ = transpose();  // error argument_count: 'transpose' takes 1 argument, but 0 are given
  _ = transpose(m22f, i1);  // error argument_count: 'transpose' takes 1 argument, but 2 are given
  _ = transpose(w);  // error argument_type: 'W'
  transpose(m22f);  // error result_not_used: the result of 'transpose' must be used
}

fn use_trunc() {
  _ = trunc();  // error argument_count: 'trunc' takes 1 argument, but 0 are given
  _ = trunc(f1, i1);  // error argument_count: 'trunc' takes 1 argument, but 2 are given
  _ = trunc(w);  // error argument_type: 'W'
  trunc(f1);  // error result_not_used: the result of 'trunc' must be used
}
