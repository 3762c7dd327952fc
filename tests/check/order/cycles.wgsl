// Declarations that depend on themselves, each circle reported once.
const self_ = self_ + 1;                  // error cyclic_declaration: 'self_' depends on itself
const a = b;                              // error cyclic_declaration: 'a' depends on itself through 'b'
const b = a;
const uses_a = a + 1;
alias T = array<T, 4>;                    // error cyclic_declaration: 'T' depends on itself
struct S { next : R }                     // error cyclic_declaration: 'S' depends on itself through 'R'
struct R { item : array<S, 2> }
var<private> of_s : S;
override o : i32 = p;                     // error cyclic_declaration: 'o' depends on itself through 'p'
override p : i32 = o;
alias Sized = array<i32, sizes>;          // error cyclic_declaration: 'Sized' depends on itself through 'sizes'
const sizes = Sized()[0];
const hidden = hidden_by_local();         // error cyclic_declaration: through 'hidden_by_local'
fn hidden_by_local() -> i32 {
  let x = hidden;
  return x;
}
