const _ = 1;     // error invalid_name@7: '_' alone cannot be the name of the constant
const __ = 1;    // error invalid_name@7: '__' starts with two underscores
const __a = 1;   // error invalid_name@7: '__a' starts with two underscores
const 1a = 1;    // error unexpected_token@7: expected the name of the constant, found '1a'
const a-b = 1;   // error unexpected_token@8: expected '=' and a value in the declaration of 'a'
const b$ = 1;    // error unknown_character@8: '$' has no place in WGSL
const ·a = 1;    // error unknown_character@7: U+00B7
const 😀 = 1;    // error unknown_character@7: U+1F600
struct S {
  __m : i32,     // error invalid_name@3: '__m' starts with two underscores
}
fn f(__p : i32) {  // error invalid_name@6: '__p' starts with two underscores
}
