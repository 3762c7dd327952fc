enable f16;
@id(0) override a : bool = true;
@id(1200) override b : f32 = 2.3;
override c : f32;
override d = 2 * c;
override e : f16 = 1.5;
override f = 7u;
override g = i32(f) + select(1, 2, a);
override h = g > 3 && a;
fn f1() -> i32 { return g; }
