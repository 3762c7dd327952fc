struct A {
  a : i32                     // error unexpected_token@10: expected ',' after the member
  b : i32,
}
struct B {
  a : i32;                    // error unexpected_token@10: separated by ',', not ';'
  b : i32;
}
struct C {
  a : i32,
  @align(16)
}                             // error unexpected_token@1: expected the name of the member, found '}'
