struct S { x : vec4f, y : array<vec4f, 2> }
struct A { x : atomic<u32>, y : array<atomic<i32>, 2> }
struct R { n : u32, items : array<u32> }
override o = 3u;
var<private> a : S;
var<private> b : bool = true;
var<private> c = 2 * o;
var<private> d = array(1, 2, 3);
var<workgroup> e : array<A, o>;
var<workgroup> f : bool;
@group(0) @binding(0) var<uniform> g : S;
@group(0) @binding(1) var<storage> h : R;
@group(0) @binding(2) var<storage, read> i : R;
@group(0) @binding(3) var<storage, read_write> j : A;
@group(0) @binding(4) var k : texture_depth_2d;
@group(0) @binding(5) var l : sampler_comparison;
var<immediate> m : vec4f;
fn fun(p : i32) {
  var<function> a : i32;
  var b = p;
  var c : array<S, 2>;
  var d : f32 = 1;
  var e = 1.5;
  e = d;
}
