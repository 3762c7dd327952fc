// Only the bare name of one override makes the same type.
override o = 4;
override p = 4;
var<workgroup> by_name : array<i32, o>;
var<workgroup> by_other : array<i32, p>;
var<workgroup> in_parens : array<i32, (o)>;
var<workgroup> computed : array<i32, o * 1>;
var<workgroup> constant : array<i32, 4>;
fn sized(x : ptr<workgroup, array<i32, o>>) {}
fn call() {
  sized(&by_name);
  sized(&by_other);     // error argument_type: must be 'ptr<workgroup, array<i32, o>>'
  sized(&in_parens);    // error argument_type:
  sized(&computed);     // error argument_type:
  sized(&constant);     // error argument_type:
}
