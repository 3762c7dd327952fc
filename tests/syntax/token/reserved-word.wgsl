const filter = 1;         // error reserved_word@7: 'filter' is a reserved word
const twice = filter * 2;
const_assert twice == 2;
struct class { a : i32 }  // error reserved_word@8: 'class' is a reserved word
fn virtual() { }          // error reserved_word@4: 'virtual' is a reserved word
fn f(self : i32) { }      // error reserved_word@6: 'self' is a reserved word
struct S {
  ref : i32,              // error reserved_word@3: 'ref' is a reserved word
}
alias std = i32;          // error reserved_word@7: 'std' is a reserved word
fn g() {
  let null = 1;           // error reserved_word@7: 'null' is a reserved word
  const mod = 1;          // error reserved_word@9: 'mod' is a reserved word
}
