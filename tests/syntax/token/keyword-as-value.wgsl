fn g() {
  let a = while;          // error unexpected_token@11: expected an expression, found 'while'
  let b = 1 + loop;       // error unexpected_token@15: expected an expression, found 'loop'
  let c = 1;
}
