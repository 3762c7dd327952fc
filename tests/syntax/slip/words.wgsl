fn f() {
  var a = 1;
  do { a++; } while (a < 3);          // error reserved_word@3: 'do' is a reserved word
  goto end;                           // error reserved_word@3: 'goto' is a reserved word
  let mut b = 2;                      // error reserved_word@7: 'mut' is a reserved word
  a = b;
}
import c;                             // error unexpected_token@1: expected a declaration, found 'import'
export fn d() { }                     // error unexpected_token@1: expected a declaration, found 'export'
static e = 1;                         // error unexpected_token@1: expected a declaration, found 'static'
