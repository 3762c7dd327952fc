const n = 4;
const m = 2;
struct S { a : array<vec4<f32>, 4>, b : array<array<u32,2>,3> }
alias A = array<f32,>;
alias B = array<vec2 < f32 > , n - m,>;
alias C = array<i32,select(2,3,n>m)>;
alias D = array<i32, 1<<m>;
alias E = array < i32 , (n>>1u) >;
alias F = vec2 /* here */ < /* and */ f32 /* there */ >;
var<private> x : array<vec2<f32>,2>=array<vec2<f32>,2>();
var<workgroup> y : array<vec4<f32>,4>;
fn f() {
  let a = 1;
  let b = 2;
  let c = a<b;
  let d = a<b && b>a;
  let e = (a<b) == (b>a);
  let g = array<bool, 2>((a<b), b>a);
  let h = array<vec2<f32>, 2>(vec2<f32>(1, 2), vec2<f32>());
  let i = vec2<f32>(1, 2).x<3;
}
