fn f() {
  let t = true;
  _ = 1 < 2 < 3;       // error mixed_operators@13: '<' and '<' cannot follow one another // error operand_type:
}
