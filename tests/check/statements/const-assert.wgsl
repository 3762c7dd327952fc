const x = 1;
override o = true;
var<private> v = true;
const_assert x < 2;
const_assert(x != 2);
const_assert x == 2;            // error const_assert_failed: the assertion is false
const_assert o;                 // error not_const: the condition of a const_assert must be a const-expression
const_assert v;                 // error not_const:
const_assert 1;                 // error type_mismatch: the condition of a const_assert must have the type 'bool', found 'abstract-int'
const_assert vec2(true);        // error type_mismatch:
fn f(p : bool) {
  const y = x + 1;
  const_assert y == 2;
  const_assert y == 3;          // error const_assert_failed:
  let z = 1;
  const_assert z == 1;          // error not_const:
  const_assert p;               // error not_const:
}
