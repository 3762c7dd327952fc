;
const a = 1;
const b : i32 = 2;;
override c : f32;
override d = 4.0;
override e : u32 = 5;
var<private> f : i32;
var<private> g = 7;
var<private> h : i32 = 8;
var<workgroup,> i : array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> j : array<u32>;
@group(0) @binding(1) var k : texture_2d<f32>;
alias l = vec2<f32>;
struct m { a : i32 }
struct n { a : i32, b : l, }
const_assert a < b;
fn o() { }
fn p(a : i32) { }
fn q(a : i32, b : l,) -> i32 { return a; }
fn r() -> vec2<f32> { return l(); };
