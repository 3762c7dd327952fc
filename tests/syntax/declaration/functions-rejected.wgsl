fn;                           // error unexpected_token@3: expected the name of the function, found ';'
fn a;                         // error unexpected_token@5: expected '(' after the name of the function, found ';'
fn b();                       // error unexpected_token@7: expected '{' to start the function's body, found ';'
fn c( { }                     // error unexpected_token@7: expected the name of the parameter, found '{'
fn d(a) { }                   // error unexpected_token@7: expected ':' after the name of the parameter, found ')'
fn e(a : ) { }                // error unexpected_token@10: expected the type of the parameter, found ')'
fn f(a : i32 b : i32) { }     // error unexpected_token@14: expected ',' or ')' after the parameter, found 'b'
fn g(,) { }                   // error unexpected_token@6: expected the name of the parameter, found ','
fn h() -> { }                 // error unexpected_token@11: expected the type of the result, found '{'
fn i() i32 { return 1; }      // error unexpected_token@8: expected '->' or '{' after the parameters, found 'i32'
fn j() : i32 { return 1; }    // error unexpected_token@8: expected '->' or '{' after the parameters, found ':'
fn k() = 1;                   // error unexpected_token@8: expected '{' to start the function's body, found '='
fn l() { fn m() { } }         // error unexpected_token@10: expected '}' to end the function, found 'fn' // error unexpected_token@21: this '}' closes nothing
fn n() { }
