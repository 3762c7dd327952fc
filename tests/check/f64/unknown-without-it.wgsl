// A message does not suggest what is not enabled.
var<private> x : f64;             // error unresolved_name: there is no type named 'f64'
