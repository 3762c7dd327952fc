fn g() -> i32 { return 1; }
fn h(a : i32, b : i32) -> i32 { return a + b; }
fn f() {
  _ = g();
  _ = h(1, 2);
  _ = h(1, 2,);
  _ = h(
    g(),
    h((1), -2),
  );
  _ = vec2<i32>(1, 2)[g()];
  _ = array(1, 2, 3)[0];
}
