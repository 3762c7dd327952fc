// What overrides may be.
override a : bool;
override b = 1;
override c = 1.5;
@id(3) override d : u32 = 4;
override e = d * 2u;
override f = !a && e > 1u;
override g : vec2<f32>;          // error invalid_declared_type:
override h;                      // error missing_initializer:
var<workgroup> block : array<f32, b + 1>;
@compute @workgroup_size(d) fn main() { block[0] = select(c, 0, f); }
