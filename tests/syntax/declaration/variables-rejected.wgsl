var;                          // error unexpected_token@4: expected the name of the variable, found ';'
var<private>;                 // error unexpected_token@13: expected the name of the variable, found ';'
var<private> a : ;            // error unexpected_token@18: expected the type of the variable, found ';'
var<private> b = ;            // error unexpected_token@18: expected an expression, found ';'
var<private> c : i32 1;       // error unexpected_token@22: expected ';' after the declaration, found '1'
var<private d : i32;          // error unexpected_token@4: expected the name of the variable, found '<'
const;                        // error unexpected_token@6: expected the name of the constant, found ';'
const e;                      // error missing_initializer@7: 'e' is declared with 'const' and needs a value
const f : i32;                // error missing_initializer@7: 'f' is declared with 'const' and needs a value
const g 1;                    // error unexpected_token@9: expected '=' and a value in the declaration of 'g', found '1'
override;                     // error unexpected_token@9: expected the name of the override, found ';'
override h : = 1;             // error unexpected_token@14: expected the type of the override, found '='
let i = 1;                    // error unexpected_token@1: expected a declaration, found 'let'
var<private> j : (i32);       // error unexpected_token@18: expected the type of the variable, found '('
fn k() {
  let a;                      // error missing_initializer@7: 'a' is declared with 'let' and needs a value
  let b : i32;                // error missing_initializer@7: 'b' is declared with 'let' and needs a value
  const c;                    // error missing_initializer@9: 'c' is declared with 'const' and needs a value
  var d : i32 = ;             // error unexpected_token@17: expected an expression, found ';'
  override e = 1;             // error unexpected_token@3: expected a statement, found 'override'
}
