const a = 1 */ 2;  // error unexpected_token@14: expected an expression, found '/'
const b = 2;
