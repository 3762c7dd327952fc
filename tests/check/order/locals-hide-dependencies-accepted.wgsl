// A local that has the name of a module-scope declaration is no mention of it:
// none of these is a circle.
fn a(b : i32) -> i32 { return b; }
fn b() -> i32 { return a(1); }

fn c() -> i32 {
  let d = 1;
  return d;
}
fn d() -> i32 { return c(); }

fn e() {
  for (var f = 0; f < 1; f++) { _ = f; }
  loop { let f = 1; continuing { _ = f; break if f == 1; } }
  switch 1 { default { const f = 2; _ = f; } }
  { var f : i32; f = 1; }
}
fn f() { e(); }

struct S { g : i32 }
const g = S(1).g;
