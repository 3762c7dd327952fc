// A name that is nearly another one is suggested: locals, module scope, builtins.
struct S { width : f32, length : f32 }
const threshold = 1;
fn brightness() -> f32 { return 1; }
fn f(color : vec3f) -> f32 {
  let luminance = 1.0;
  _ = luminence;          // error unresolved_name: is 'luminance' meant?
  _ = lumniance;          // error unresolved_name: is 'luminance' meant?
  _ = treshold;           // error unresolved_name: is 'threshold' meant?
  _ = brighness();        // error unresolved_name: is 'brightness' meant?
  _ = nomalize(color);    // error unresolved_name: is 'normalize' meant?
  var v : vec3ff;         // error unresolved_name: is 'vec3f' meant?
  _ = S().lenght;         // error unknown_member: is 'length' meant?
  return colour.x;        // error unresolved_name: is 'color' meant?
}
