// Calls of functions of the module.
fn nothing() {}
fn number() -> i32 { return 1; }
@must_use fn wanted() -> i32 { return 1; }
fn two(a : f32, b : vec2<u32>) -> f32 { return a; }
fn through(p : ptr<function, i32>) { *p = 1; }
@compute @workgroup_size(1) fn entry() {}
var<private> variable : i32;
const constant = 1;

fn accepted() {
  nothing();
  number();
  _ = number();
  _ = two(1, vec2(1, 2));
  two(1.5, vec2u());
  _ = wanted();
  var x = 1;
  through(&x);
}

fn counts() {
  _ = two(1);                // error argument_count: 'two' takes 2 arguments, but 1 is given
  _ = two(1, vec2u(), 3);    // error argument_count: 'two' takes 2 arguments, but 3 are given
  nothing(1);                // error argument_count: 'nothing' takes 0 arguments, but 1 is given
}

fn types(i : i32) {
  _ = two(i, vec2u());       // error argument_type: the argument 'a' of 'two' must be 'f32', but this is 'i32'
  _ = two(1, vec2(i));       // error argument_type: the argument 'b' of 'two' must be 'vec2<u32>', but this is 'vec2<i32>'
  _ = two(1, vec2(1, -1));   // error conversion_range: -1
  var u = 1u;
  through(&u);               // error argument_type: must be 'ptr<function, i32>', but this is 'ptr<function, u32>'
  through(&variable);        // error argument_type: must be 'ptr<function, i32>', but this is 'ptr<private, i32>'
  through(u);                // error argument_type: must be 'ptr<function, i32>', but this is 'u32'
}

fn uses() {
  wanted();                  // error result_not_used: the result of 'wanted' must be used
  _ = nothing();             // error no_result: 'nothing' returns nothing, so it has no value
  let x = nothing();         // error no_result: 'nothing' returns nothing, so it has no value
  _ = two(nothing(), vec2u());  // error no_result: 'nothing' returns nothing
}

fn callees(parameter : i32) {
  _ = variable(1);           // error not_callable: 'variable' is a variable, not a function
  constant();                // error not_callable: 'constant' is a constant, not a function
  parameter();               // error not_callable: 'parameter' is a parameter, not a function
  _ = missing(1);            // error unresolved_name: 'missing'
  _ = read(1);               // error not_callable: 'read'
  entry();                   // error entry_point_called: 'entry' is an entry point and cannot be called
  _ = number<i32>();         // error template_arguments: 'number' is a function and takes no template list
}

// A function that hides a builtin, and a type that does.
fn abs(x : bool) -> bool { return x; }
struct max { a : i32 }
fn hidden() {
  let a : bool = abs(true);
  let b = max(1).a;
  _ = abs(1);                // error argument_type: the argument 'x' of 'abs' must be 'bool', but this is 'abstract-int'
}
