var<private> v = 1;
@id(1) override a : i32 = v;          // error not_override: the initializer of 'a' must be an override-expression
override b : vec2f;                   // error invalid_declared_type: 'b' cannot have the type 'vec2<f32>': an override is a bool, i32, u32, f32 or f16
override c = vec2(1, 2);              // error invalid_declared_type: 'c' cannot have the type 'vec2<abstract-int>'
override d;                           // error missing_initializer: 'd' needs a type or an initializer
override e : u32 = 1.5;               // error type_mismatch: the initializer of 'e'
override f : i32 = 3000000000;        // error conversion_range:
override g : array<i32, 3>;           // error invalid_declared_type:
override h = fun();                   // error not_override: the initializer of 'h'
override i : i32 = 1 / 0;             // error division_by_zero:
fn fun() -> i32 { return 1; }
