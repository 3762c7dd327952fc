// A message says which extension would declare a name, and suggests no name without it.
var<private> x : f64;             // error unresolved_name: there is no type named 'f64' without 'enable weft_f64;'
var<private> v : vec3d;           // error unresolved_name: there is no type named 'vec3d' without 'enable weft_f64;'
var<private> y : double;          // error unresolved_name: is 'f32' meant?
