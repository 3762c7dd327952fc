// Names that nothing declares, or that are not in scope where they stand.
const a = nothing;                    // error unresolved_name: there is no value named 'nothing'
var<private> b : Missing;             // error unresolved_name: there is no type named 'Missing'
fn f() -> i32 {
  missing();                          // error unresolved_name: there is no function named 'missing'
  { let inner = 1; _ = inner; }
  let own = own + 1;                  // error unresolved_name: 'own'
  for (var i = 0; i < 2; i++) {}
  return inner                        // error unresolved_name: 'inner'
       + later                        // error unresolved_name: 'later'
       + i;                           // error unresolved_name: 'i'
  let later = 1;
}
fn parameters(p : i32) {}
fn other() -> i32 { return p; }       // error unresolved_name: 'p'
@group(0) @binding(0) var<storag> s : u32;   // error unresolved_name: is 'storage' meant?
// What other languages call it.
var<private> c : float;               // error unresolved_name: 'float'; is 'f32' meant?
var<private> d : vec3<uint>;          // error unresolved_name: 'uint'; is 'u32' meant?
fn mixed() -> f32 { return lerp(0.0, 1.0, 0.5); }   // error unresolved_name: is 'mix' meant?
