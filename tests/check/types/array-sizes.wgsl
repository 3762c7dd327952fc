// Element counts of arrays.
override o = 4;
const negative = -1;
var<private> a : array<i32, 0>;               // error invalid_array_size: must be greater than 0, found 0
var<private> b : array<i32, negative>;        // error invalid_array_size: found -1
var<private> c : array<i32, 1.0>;             // error invalid_array_size: must be an i32 or u32 value, found 'f32'
var<private> d : array<i32, true>;            // error invalid_array_size: found 'bool'
var<private> e : array<i32, vec2(1)>;         // error invalid_array_size: found 'vec2<i32>'
var<private> f : array<i32, 5000000000>;      // error conversion_range: 5000000000 does not fit in 'i32'
var<private> g : array<i32, i32>;             // error not_a_value: 'i32' is a type, not a value
var<private> v : i32;
var<private> h : array<i32, v>;               // error invalid_array_size: must be known before the shader runs
var<private> i : array<i32, o>;               // error invalid_store_type: its size is not fixed when the module is made
fn fun(p : i32) {
  let n = 4;
  var j : array<i32, n>;                      // error invalid_array_size: must be known before the shader runs
  var k : array<i32, p>;                      // error invalid_array_size: must be known before the shader runs
  var l : array<i32, o>;                      // error invalid_store_type: its size is not fixed
}
