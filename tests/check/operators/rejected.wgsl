// Operands that no rule of an operator fits.
struct S { a : i32 }
var<private> s : S;
var<private> b : bool;
var<private> i : i32;    var<private> i3 : vec3<i32>;
var<private> u : u32;    var<private> u3 : vec3<u32>;
var<private> f : f32;    var<private> f2 : vec2<f32>;   var<private> f3 : vec3<f32>;
var<private> m23 : mat2x3<f32>;
var<private> m33 : mat3x3<f32>;
var<private> a : array<i32, 2>;

fn unary() {
  _ = -u;            // error operand_type: '-' cannot be applied to 'u32'
  _ = -b;            // error operand_type: '-' cannot be applied to 'bool'
  _ = -m23;          // error operand_type: '-' cannot be applied to 'mat2x3<f32>'
  _ = !i;            // error operand_type: '!' cannot be applied to 'i32'
  _ = ~f;            // error operand_type: '~' cannot be applied to 'f32'
  _ = ~b;            // error operand_type: '~' cannot be applied to 'bool'
  _ = -s;            // error operand_type: '-' cannot be applied to 'S'
}

fn mixed() {
  _ = i + u;         // error operand_type: '+' cannot be applied to 'i32' and 'u32'
  _ = i + f;         // error operand_type: '+' cannot be applied to 'i32' and 'f32'
  _ = f * i3;        // error operand_type: '*' cannot be applied to 'f32' and 'vec3<i32>'
  _ = f2 + f3;       // error operand_type: '+' cannot be applied to 'vec2<f32>' and 'vec3<f32>'
  _ = b + b;         // error operand_type: '+' cannot be applied to 'bool' and 'bool'
  _ = i + 1.5;       // error operand_type: '+' cannot be applied to 'i32' and 'abstract-float'
  _ = a + a;         // error operand_type: '+' cannot be applied to 'array<i32, 2>'
  _ = s == s;        // error operand_type: '==' cannot be applied to 'S' and 'S'
  _ = m33 == m33;    // error operand_type: '==' cannot be applied to
  _ = f3 < f;        // error operand_type: '<' cannot be applied to
  _ = b < b;         // error operand_type: '<' cannot be applied to 'bool' and 'bool'
}

fn bits() {
  _ = f & f;         // error operand_type: '&' cannot be applied to 'f32' and 'f32'
  _ = b ^ b;         // error operand_type: '^' cannot be applied to 'bool' and 'bool'
  _ = i | u;         // error operand_type: '|' cannot be applied to 'i32' and 'u32'
  _ = i3 & i;        // error operand_type: '&' cannot be applied to
  _ = i << i;        // error operand_type: '<<' cannot be applied to 'i32' and 'i32'
  _ = i3 << u;       // error operand_type: '<<' cannot be applied to
  _ = i << 1.0;      // error operand_type: '<<' cannot be applied to
  _ = f >> u;        // error operand_type: '>>' cannot be applied to
}

fn matrices() {
  _ = m23 + m33;     // error operand_type: '+' cannot be applied to
  _ = m23 + 1.0;     // error operand_type: '+' cannot be applied to
  _ = m23 * m23;     // error operand_type: '*' cannot be applied to
  _ = m23 * f3;      // error operand_type: '*' cannot be applied to
  _ = f2 * m23;      // error operand_type: '*' cannot be applied to
  _ = m33 / m33;     // error operand_type: '/' cannot be applied to
  _ = m33 / 2.0;     // error operand_type: '/' cannot be applied to
}

fn logical() {
  _ = i && b;        // error operand_type: an operand of '&&' must be 'bool', but this is 'i32'
  _ = b || 1;        // error operand_type: an operand of '||' must be 'bool', but this is 'abstract-int'
  _ = vec2(b) && vec2(b);  // error operand_type: 'vec2<bool>'  // error operand_type: 'vec2<bool>'
}

fn pointers(p : ptr<function, i32>) {
  _ = p + 1;         // error operand_type: '+' cannot be applied to 'ptr<function, i32>'
  _ = -p;            // error operand_type: '-' cannot be applied to 'ptr<function, i32>'
}

fn compound() {
  var x = 1;
  x += 1u;           // error operand_type: '+=' cannot be applied to 'i32' and 'u32'
  x += vec2(1, 2);   // error operand_type: '+=' cannot be applied to
  x <<= 1i;          // error operand_type: '<<=' cannot be applied to 'i32' and 'i32'
  x /= 0;            // error division_by_zero:
  x <<= 32u;         // error shift_amount:
  var v = vec3f();
  v *= m23;          // error operand_type: '*=' cannot be applied to
}

fn one_mistake_one_error() {
  _ = (i + f) * 2 + vec3((i + f), 1, 2).x;  // error operand_type: // error operand_type:
}
