const a = 1                   // error unexpected_token@12: expected ';' after the declaration, found 'const'
const b = 2;
alias c = i32                 // error unexpected_token@14: expected ';' after the alias, found 'const_assert'
const_assert a < b            // error unexpected_token@19: expected ';' after the assertion, found 'fn'
fn f() { }
