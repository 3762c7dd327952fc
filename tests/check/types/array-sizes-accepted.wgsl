// Element counts of arrays; arrays of equal counts are of one type.
override o = 4;
const n = 2;
const a : array<i32, 4> = array<i32, n * 2>(1, 2, 3, 4);
const b : array<i32, 4u> = a;
const c : array<i32, select(4, 5, false)> = b;
var<workgroup> d : array<i32, o>;
var<workgroup> e : array<i32, o + 1>;
var<workgroup> f : array<array<i32, 3>, (o)>;
@group(0) @binding(0) var<storage> g : array<i32>;
@group(0) @binding(1) var<storage> h : array<array<i32, 3>>;
fn sized(p : ptr<workgroup, array<i32, o>>) {}
fn call() { sized(&d); }
