// The longest token that the grammar allows here.
fn f() {
  var a = 3;
  var b = 5;
  let c = a--b;           // a - -b
  let d = --a;            // -(-a)
  let e = a---b;          // a - -(-b)
  let g = a- -b;
  let p = &a;
  let q = *&a;
  let h = a>=b;
  let i = vec2<f32>(1,2).x>=1;
  var j : vec2<f32>=vec2<f32>(1,2);
  var k : array<vec2<f32>,2>=array<vec2<f32>,2>();
  a>>=1u;
  a<<=1u;
  a++;
  b--;
}
