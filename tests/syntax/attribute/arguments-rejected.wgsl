struct S {
  @align a : i32,                 // error attribute_arguments@3: '@align' needs an argument in parentheses
  @align() b : i32,               // error attribute_arguments@3: '@align' takes 1 argument, not 0
  @align(16, 16) c : i32,         // error attribute_arguments@3: '@align' takes 1 argument, not 2
  @size(4 d : i32,                // error unexpected_token@11: expected ',' or ')' in the list of arguments, found 'd'
  e : i32,
}
@compute() @workgroup_size(1) fn f() { }                  // error attribute_arguments@1: '@compute' takes no arguments, and no parentheses
@compute @workgroup_size fn g() { }                       // error attribute_arguments@10: '@workgroup_size' needs an argument
@compute @workgroup_size(1, 1, 1, 1) fn h() { }           // error attribute_arguments@10: '@workgroup_size' takes 1 to 3 arguments, not 4
@must_use(1) fn i() -> i32 { return 1; }                  // error attribute_arguments@1: '@must_use' takes no arguments
