// With the extension, its names are suggested for those of other languages.
enable weft_f64;
var<private> x : double;          // error unresolved_name: is 'f64' meant?
var<private> v : dvec3;           // error unresolved_name: is 'vec3d' meant?
const k = 1.5d;                   // error invalid_literal: there are i, u, f, h and lf
