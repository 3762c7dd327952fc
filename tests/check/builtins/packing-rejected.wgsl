// Calls that no overload fits, and results that are dropped: packing.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> i4 : vec4<i32>;
var<private> u1 : u32;
var<private> u4 : vec4<u32>;
var<private> f2 : vec2<f32>;
var<private> f4 : vec4<f32>;

fn use_pack2x16float() {
  _ = pack2x16float();  // error argument_count: 'pack2x16float' takes 1 argument, but 0 are given
  _ = pack2x16float(f2, i1);  // error argument_count: 'pack2x16float' takes 1 argument, but 2 are given
  _ = pack2x16float(w);  // error argument_type: 'W'
  pack2x16float(f2);  // error result_not_used: the result of 'pack2x16float' must be used
}

fn use_pack2x16snorm() {
  _ = pack2x16snorm();  // error argument_count: 'pack2x16snorm' takes 1 argument, but 0 are given
  _ = pack2x16snorm(f2, i1);  // error argument_count: 'pack2x16snorm' takes 1 argument, but 2 are given
  _ = pack2x16snorm(w);  // error argument_type: 'W'
  pack2x16snorm(f2);  // error result_not_used: the result of 'pack2x16snorm' must be used
}

fn use_pack2x16unorm() {
  _ = pack2x16unorm();  // error argument_count: 'pack2x16unorm' takes 1 argument, but 0 are given
  _ = pack2x16unorm(f2, i1);  // error argument_count: 'pack2x16unorm' takes 1 argument, but 2 are given
  _ = pack2x16unorm(w);  // error argument_type: 'W'
  pack2x16unorm(f2);  // error result_not_used: the result of 'pack2x16unorm' must be used
}

fn use_pack4x8snorm() {
  _ = pack4x8snorm();  // error argument_count: 'pack4x8snorm' takes 1 argument, but 0 are given
  _ = pack4x8snorm(f4, i1);  // error argument_count: 'pack4x8snorm' takes 1 argument, but 2 are given
  _ = pack4x8snorm(w);  // error argument_type: 'W'
  pack4x8snorm(f4);  // error result_not_used: the result of 'pack4x8snorm' must be used
}

fn use_pack4x8unorm() {
  _ = pack4x8unorm();  // error argument_count: 'pack4x8unorm' takes 1 argument, but 0 are given
  _ = pack4x8unorm(f4, i1);  // error argument_count: 'pack4x8unorm' takes 1 argument, but 2 are given
  _ = pack4x8unorm(w);  // error argument_type: 'W'
  pack4x8unorm(f4);  // error result_not_used: the result of 'pack4x8unorm' must be used
}

fn use_pack4xI8() {
  _ = pack4xI8();  // error argument_count: 'pack4xI8' takes 1 argument, but 0 are given
  _ = pack4xI8(i4, i1);  // error argument_count: 'pack4xI8' takes 1 argument, but 2 are given
  _ = pack4xI8(w);  // error argument_type: 'W'
  pack4xI8(i4);  // error result_not_used: the result of 'pack4xI8' must be used
}

fn use_pack4xI8Clamp() {
  _ = pack4xI8Clamp();  // error argument_count: 'pack4xI8Clamp' takes 1 argument, but 0 are given
  _ = pack4xI8Clamp(i4, i1);  // error argument_count: 'pack4xI8Clamp' takes 1 argument, but 2 are given
  _ = pack4xI8Clamp(w);  // error argument_type: 'W'
  pack4xI8Clamp(i4);  // error result_not_used: the result of 'pack4xI8Clamp' must be used
}

fn use_pack4xU8() {
  _ = pack4xU8();  // error argument_count: 'pack4xU8' takes 1 argument, but 0 are given
  _ = pack4xU8(u4, i1);  // error argument_count: 'pack4xU8' takes 1 argument, but 2 are given
  _ = pack4xU8(w);  // error argument_type: 'W'
  pack4xU8(u4);  // error result_not_used: the result of 'pack4xU8' must be used
}

fn use_pack4xU8Clamp() {
  _ = pack4xU8Clamp();  // error argument_count: 'pack4xU8Clamp' takes 1 argument, but 0 are given
  _ = pack4xU8Clamp(u4, i1);  // error argument_count: 'pack4xU8Clamp' takes 1 argument, but 2 are given
  _ = pack4xU8Clamp(w);  // error argument_type: 'W'
  pack4xU8Clamp(u4);  // error result_not_used: the result of 'pack4xU8Clamp' must be used
}

fn use_unpack2x16float() {
  _ = unpack2x16float();  // error argument_count: 'unpack2x16float' takes 1 argument, but 0 are given
  _ = unpack2x16float(u1, i1);  // error argument_count: 'unpack2x16float' takes 1 argument, but 2 are given
  _ = unpack2x16float(w);  // error argument_type: 'W'
  unpack2x16float(u1);  // error result_not_used: the result of 'unpack2x16float' must be used
}

fn use_unpack2x16snorm() {
  _ = unpack2x16snorm();  // error argument_count: 'unpack2x16snorm' takes 1 argument, but 0 are given
  _ = unpack2x16snorm(u1, i1);  // error argument_count: 'unpack2x16snorm' takes 1 argument, but 2 are given
  _ = unpack2x16snorm(w);  // error argument_type: 'W'
  unpack2x16snorm(u1);  // error result_not_used: the result of 'unpack2x16snorm' must be used
}

fn use_unpack2x16unorm() {
  _ = unpack2x16unorm();  // error argument_count: 'unpack2x16unorm' takes 1 argument, but 0 are given
  _ = unpack2x16unorm(u1, i1);  // error argument_count: 'unpack2x16unorm' takes 1 argument, but 2 are given
  _ = unpack2x16unorm(w);  // error argument_type: 'W'
  unpack2x16unorm(u1);  // error result_not_used: the result of 'unpack2x16unorm' must be used
}

fn use_unpack4x8snorm() {
  _ = unpack4x8snorm();  // error argument_count: 'unpack4x8snorm' takes 1 argument, but 0 are given
  _ = unpack4x8snorm(u1, i1);  // error argument_count: 'unpack4x8snorm' takes 1 argument, but 2 are given
  _ = unpack4x8snorm(w);  // error argument_type: 'W'
  unpack4x8snorm(u1);  // error result_not_used: the result of 'unpack4x8snorm' must be used
}

fn use_unpack4x8unorm() {
  _ = unpack4x8unorm();  // error argument_count: 'unpack4x8unorm' takes 1 argument, but 0 are given
  _ = unpack4x8unorm(u1, i1);  // error argument_count: 'unpack4x8unorm' takes 1 argument, but 2 are given
  _ = unpack4x8unorm(w);  // error argument_type: 'W'
  unpack4x8unorm(u1);  // error result_not_used: the result of 'unpack4x8unorm' must be used
}

fn use_unpack4xI8() {
  _ = unpack4xI8();  // error argument_count: 'unpack4xI8' takes 1 argument, but 0 are given
  _ = unpack4xI8(u1, i1);  // error argument_count: 'unpack4xI8' takes 1 argument, but 2 are given
  _ = unpack4xI8(w);  // error argument_type: 'W'
  unpack4xI8(u1);  // error result_not_used: the result of 'unpack4xI8' must be used
}

fn use_unpack4xU8() {
  _ = unpack4xU8();  // error argument_count: 'unpack4xU8' takes 1 argument, but 0 are given
  _ = unpack4xU8(u1, i1);  // error argument_count: 'unpack4xU8' takes 1 argument, but 2 are given
  _ = unpack4xU8(w);  // error argument_type: 'W'
  unpack4xU8(u1);  // error result_not_used: the result of 'unpack4xU8' must be used
}
