// Two pointers into one variable, one of them written through.
fn writes_first(a : ptr<function, i32>, b : ptr<function, i32>) { *a = *b; }
fn reads(a : ptr<function, i32>, b : ptr<function, i32>) -> i32 { return *a + *b; }
fn writes_one(a : ptr<function, i32>, b : ptr<function, i32>) { *a = 1; let c = b; }
fn indirectly(a : ptr<function, i32>, b : ptr<function, i32>) { writes_first(b, a); }
fn increments(a : ptr<function, i32>, b : ptr<function, i32>) { (*a)++; _ = *b; }
fn compound(a : ptr<function, i32>, b : ptr<function, i32>) { *a += *b; }
fn accepted() {
  var x = 1;
  var y = 2;
  writes_first(&x, &y);
  _ = reads(&x, &x);
  writes_one(&x, &x);
  indirectly(&x, &y);
}
fn rejected() {
  var x = 1;
  var arr = array(1, 2);
  let p = &x;
  let q = p;
  writes_first(&x, &x);         // error aliased_pointer@20: this argument and another one point into 'x', and the function 'writes_first' writes through one of them
  writes_first(p, &x);          // error aliased_pointer: point into 'x'
  writes_first(p, q);           // error aliased_pointer:
  indirectly(&x, p);            // error aliased_pointer: 'indirectly'
  increments(&x, &x);           // error aliased_pointer:
  compound(&x, &x);             // error aliased_pointer:
  writes_first(&arr[0], &arr[1]);     // error aliased_pointer: point into 'arr'
}
fn through_parameter(p : ptr<function, i32>) {
  writes_first(p, p);           // error aliased_pointer: point into 'p'
}
