// Calls that no overload fits, and results that are dropped: bits, logic, arrays.
struct W { a : i32 }
var<private> w : W;
var<private> b1 : bool;
var<private> i1 : i32;
@group(1) @binding(0) var<storage, read_write> arr : array<f32>;

fn use_all() {
  _ = all();  // error argument_count: 'all' takes 1 argument, but 0 are given
  _ = all(b1, i1);  // error argument_count: 'all' takes 1 argument, but 2 are given
  _ = all(w);  // error argument_type: 'W'
  all(b1);  // error result_not_used: the result of 'all' must be used
}

fn use_any() {
  _ = any();  // error argument_count: 'any' takes 1 argument, but 0 are given
  _ = any(b1, i1);  // error argument_count: 'any' takes 1 argument, but 2 are given
  _ = any(w);  // error argument_type: 'W'
  any(b1);  // error result_not_used: the result of 'any' must be used
}

fn use_arrayLength() {
  _ = arrayLength();  // error argument_count: 'arrayLength' takes 1 argument, but 0 are given
  _ = arrayLength(&arr, i1);  // error argument_count: 'arrayLength' takes 1 argument, but 2 are given
  _ = arrayLength(w);  // error argument_type: 'W'
  arrayLength(&arr);  // error result_not_used: the result of 'arrayLength' must be used
}

fn use_bitcast() {
  _ = bitcast<i32>();  // error argument_count: 'bitcast' takes 1 argument, but 0 are given
  _ = bitcast<i32>(i1, i1);  // error argument_count: 'bitcast' takes 1 argument, but 2 are given
  _ = bitcast<i32>(w);  // error argument_type: 'W'
  bitcast<i32>(i1);  // error result_not_used: the result of 'bitcast' must be used
}

fn use_select() {
  _ = select();  // error argument_count: 'select' takes 3 arguments, but 0 are given
  _ = select(b1, b1, b1, i1);  // error argument_count: 'select' takes 3 arguments, but 4 are given
  _ = select(w, b1, b1);  // error argument_type: 'W'
  _ = select(b1, w, b1);  // error argument_type: 'W'
  _ = select(b1, b1, w);  // error argument_type: 'W'
  select(b1, b1, b1);  // error result_not_used: the result of 'select' must be used
}
