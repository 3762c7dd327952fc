// Every value constructor; the type of the value is written down.
enable f16;
struct S { a : i32, b : vec2<f32>, c : array<u32, 2> }
struct T { s : S }
alias V = vec3<f32>;

fn scalars(b : bool, i : i32, u : u32, f : f32, h : f16) {
  let a0 = bool(i) && bool(u) && bool(f) && bool(h) && bool(b);
  let a1 : i32 = i32(b) + i32(i) + i32(u) + i32(f) + i32(h);
  let a2 : u32 = u32(b) + u32(i) + u32(u) + u32(f) + u32(h);
  let a3 : f32 = f32(b) + f32(i) + f32(u) + f32(f) + f32(h);
  let a4 : f16 = f16(b) + f16(i) + f16(u) + f16(f) + f16(h);
}

fn zero() {
  let a0 : bool = bool();
  let a1 : i32 = i32();
  let a2 : vec2<f16> = vec2<f16>();
  let a3 : mat3x2<f32> = mat3x2f();
  let a4 : array<S, 3> = array<S, 3>();
  let a5 : T = T();
  let a6 : vec3<f32> = vec3();
  let a7 : V = V();
  const_assert vec4()[3] == 0;
}

fn vectors(f : f32, i : i32, f2 : vec2<f32>, f3 : vec3<f32>, i3 : vec3<i32>, b : bool) {
  let a0 : vec3<f32> = vec3<f32>(f);
  let a1 : vec3<f32> = vec3(f);
  let a2 : vec3<f32> = vec3f(1, 2, f);
  let a3 : vec3<f32> = vec3(f2, f);
  let a4 : vec3<f32> = vec3(f, f2);
  let a5 : vec4<f32> = vec4(f2, f2);
  let a6 : vec4<f32> = vec4(f, f2, f);
  let a7 : vec4<f32> = vec4(f2, f, 1);
  let a8 : vec4<f32> = vec4(1, 2.5, f2);
  let a9 : vec4<f32> = vec4(f3, 0);
  let b0 : vec4<f32> = vec4f(0, f3);
  let b1 : vec3<f32> = vec3<f32>(i3);
  let b2 : vec3<i32> = vec3<i32>(f3);
  let b3 : vec3<u32> = vec3u(vec3(b));
  let b4 : vec3<f32> = vec3(f3);
  let b5 : vec2<bool> = vec2(b, true);
  let b6 : vec2<i32> = vec2(1, i);
  let b7 : V = V(1, 2, 3);
  let b8 : vec2<f32> = vec2(1, 2.0);
}

fn matrices(f : f32, c : vec2<f32>, m : mat2x2<f32>, h : mat2x2<f16>) {
  let a0 : mat2x2<f32> = mat2x2(f, 1, 2, 3);
  let a1 : mat2x2<f32> = mat2x2(c, c);
  let a2 : mat2x2<f32> = mat2x2(c, vec2(1, 2));
  let a3 : mat2x2<f32> = mat2x2(m);
  let a4 : mat2x2<f16> = mat2x2<f16>(m);
  let a5 : mat2x2<f32> = mat2x2f(h);
  let a6 : mat2x3<f32> = mat2x3(1, 2, 3, 4, 5, 6);
  let a7 : mat4x2<f32> = mat4x2(c, c, c, c);
  let a8 : mat3x4<f16> = mat3x4h();
  const k = mat2x2(1, 2, 3, 4);
  let a9 : mat2x2<f16> = k;
}

fn arrays(u : u32, f : f32) {
  let a0 : array<i32, 3> = array(1, 2, 3);
  let a1 : array<f32, 2> = array(1, f);
  let a2 : array<u32, 2> = array<u32, 2>(u, 1);
  let a3 : array<vec2<f32>, 2> = array(vec2(1, 2), vec2(1.5, 2));
  let a4 : array<array<u32, 2>, 2> = array(array(1, 2), array(u, 2));
  let a5 : array<u32, 2> = array(1, 2);
  let a6 : array<S, 1> = array(S());
  let a7 : array<bool, 2> = array(true, false);
}

fn structures(u : u32) {
  let a0 = S(1, vec2(1, 2), array(u, 1));
  let a1 = T(S(1, vec2f(), array<u32, 2>()));
  let a2 : i32 = a1.s.a;
}

const c0 = vec3(1, 2, 3);
const c1 : vec3<u32> = c0;
const c2 : vec3<f16> = c0;
const c3 = u32(4 * 1000 * 1000 * 1000);
const c4 = i32(1.9);
const_assert c4 == 1;
const c5 = array(1, 2.0);
const_assert c5[0] == 1.0;
