fn g(a : i32) -> i32 {
  var b = 0;
  if (a > 0) return 1; else return 2;   // error unexpected_token@14: expected '{' after the condition, found 'return' // error unexpected_token@29: expected '{' after 'else', found 'return'
  if (a > 0)
    b = 1;                              // error unexpected_token@5: expected '{' after the condition, found 'b'
  while (b < 3) b++;                    // error unexpected_token@17: expected '{' after the condition, found 'b'
  for (var i = 0; i < 3; i++) b += i;   // error unexpected_token@31: expected '{' after the 'for' header, found 'b'
  switch a {
    case 1: b = 1; break;               // error unexpected_token@13: expected '{' after the selectors, found 'b'
    case 2: { b = 2; }
    default: return b;                  // error unexpected_token@14: expected '{' after the selectors, found 'return'
  }
  return b;
}
