const while = 1;          // error keyword_as_name@7: 'while' is a keyword and cannot be the name of the constant
struct loop { a : i32 }   // error keyword_as_name@8: 'loop' is a keyword
fn if() { }               // error keyword_as_name@4: 'if' is a keyword
fn f(fn : i32) { }        // error keyword_as_name@6: 'fn' is a keyword
struct S {
  let : i32,              // error keyword_as_name@3: 'let' is a keyword
}
fn g() {
  let var = 1;            // error keyword_as_name@7: 'var' is a keyword
}
