// What `enable weft_f64;` declares, and where it can be stored.
enable weft_f64;

alias Number = f64;
struct S { a : f32, b : f64, c : vec3<f64>, d : mat3x3d, @size(40) e : vec4d }
struct Dynamic { n : u32, tail : array<vec2d> }

@group(0) @binding(0) var<storage, read_write> s : S;
@group(0) @binding(1) var<storage> d : Dynamic;
var<workgroup> w : array<mat2x4<f64>, 4>;
var<private> p : vec2d = vec2d(1, 0x1p-3lf);
override o : f64 = 0.1lf;
const k : f64 = 1.0;
const deep = array<f64, 3>(1, 2.5, 3lf);

const_assert 0.1lf + 0.2lf == 0.30000000000000004lf;
const_assert f64(0.1f) != 0.1lf;
const_assert 0x1p1000lf * 0x1p23lf == 0x1p1023;
const_assert sqrt(2lf) == 1.4142135623730951;
const_assert fma(0x1.0000000000002p0lf, 0x1.0000000000002p0lf, -1lf) == 0x1.0000000000001p-50lf;
const_assert i32(2147483647.9lf) == 2147483647;
const_assert u32(4294967295.9lf) == 4294967295;
const_assert i32(-3e9lf) == -2147483648;
const_assert f32(0.1lf) == 0.1f;
const_assert bool(1e-320lf) && !bool(-0.0lf);
const_assert all(vec2d(1, 2) * 2 == vec2d(2, 4));
const_assert dot(vec3d(1, 2, 3), vec3d(4, 5, 6)) == 32;
const_assert determinant(mat2x2d(1, 2, 3, 4)) == -2;
const_assert frexp(0x1p-1074lf).exp == -1073;
const_assert ldexp(1lf, 1023) == 0x1p1023lf;
const_assert deep[1] == 2.5;

// What is abstract stays f32 unless an operand says otherwise.
fn defaults(x : f64, i : i32) -> f64 {
  var one = 1.0;
  let check : f32 = one;
  var y = x * 2 + 0.5 - max(x, 0.0) / mix(x, 1, 0.25);
  y += select(1lf, -1, x > 0);
  y = f64(i) + f64(check) + f64(true) + x % 3;
  return y;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i : u32) {
  w[i] = mat2x4d();
  s.b = defaults(s.b, i32(i)) + o;
  s.c = cross(s.c, normalize(s.c)) * s.d;
  s.d = transpose(s.d) * s.d;
  s.a = f32(d.tail[i].y);
  p[i & 1] = w[i][1].z;
}
