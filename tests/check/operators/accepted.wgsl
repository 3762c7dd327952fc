// Every operator with every kind of operand it has a rule for; the type of the
// result is written down.
enable f16;

var<private> b : bool;   var<private> b3 : vec3<bool>;
var<private> i : i32;    var<private> i3 : vec3<i32>;
var<private> u : u32;    var<private> u3 : vec3<u32>;
var<private> f : f32;    var<private> f3 : vec3<f32>;  var<private> f2 : vec2<f32>;
var<private> h : f16;    var<private> h3 : vec3<f16>;
var<private> m23 : mat2x3<f32>;
var<private> m32 : mat3x2<f32>;
var<private> m33 : mat3x3<f32>;
var<private> mh : mat2x2<f16>;

fn unary() {
  let a : i32 = -i;
  let c : vec3<i32> = -i3;
  let d : f32 = -f;
  let e : vec3<f16> = -h3;
  let g : bool = !b;
  let j : vec3<bool> = !b3;
  let k : u32 = ~u;
  let l : vec3<i32> = ~i3;
}

fn scalars() {
  let a : i32 = i + i - i * i / i % i;
  let c : u32 = u + u - u * u / u % u;
  let d : f32 = f + f - f * f / f % f;
  let e : f16 = h + h - h * h / h % h;
  let g : i32 = (i & i) | (i ^ i);
  let j : u32 = (u & u) | (u ^ u);
  let k : bool = (b & b) | b;
  let l : i32 = (i << u) + (i >> u);
  let m : u32 = (u << u) + (u >> u);
}

fn vectors() {
  let a : vec3<i32> = i3 + i3 - i3 * i3 / i3 % i3;
  let c : vec3<f16> = h3 + h3 - h3 * h3 / h3 % h3;
  let d : vec3<u32> = (u3 & u3) | (u3 ^ u3);
  let e : vec3<bool> = (b3 & b3) | b3;
  let g : vec3<i32> = (i3 << u3) + (i3 >> u3);
}

fn vector_and_scalar() {
  let a : vec3<f32> = f3 + f;
  let c : vec3<f32> = f - f3;
  let d : vec3<i32> = i3 * i;
  let e : vec3<u32> = u / u3;
  let g : vec3<f16> = h3 % h;
  let j : vec3<f32> = 2 * f3;
  let k : vec3<f32> = f3 + 1;
}

fn matrices() {
  let a : mat2x3<f32> = m23 + m23 - m23;
  let c : mat2x3<f32> = m23 * f;
  let d : mat2x3<f32> = 2 * m23;
  let e : vec3<f32> = m23 * f2;
  let g : vec2<f32> = f3 * m23;
  let j : mat3x3<f32> = m23 * m32;
  let k : mat2x2<f32> = m32 * m23;
  let l : mat2x2<f16> = mh * mh;
}

fn comparisons() {
  let a : bool = i == i;
  let c : bool = b != b;
  let d : bool = f < f || f <= f || f > f || f >= f;
  let e : vec3<bool> = f3 == f3;
  let g : vec3<bool> = b3 != b3;
  let j : vec3<bool> = i3 < i3;
  let k : vec3<bool> = u3 >= u3;
}

fn logical() {
  let a : bool = (b && b) || !b;
  let c : bool = (b || b) && f < 1;
}

fn compound() {
  var x = 1;
  x += 1; x -= 1; x *= 2; x /= 2; x %= 2; x &= 1; x |= 1; x ^= 1; x <<= 1u; x >>= 1u;
  var v = vec3(1.0, 2.0, 3.0);
  v += v; v -= 1; v *= 2; v /= 2.0; v %= v; v *= m33;
  var m = m33;
  m += m; m -= m; m *= m; m *= 2;
  var c = true;
  c &= false; c |= true;
}
