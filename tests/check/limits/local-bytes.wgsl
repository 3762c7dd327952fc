// The variables of a function may take a mebibyte, the private ones of an entry
// point as well.
var<private> p : array<u32, 200000>;
var<private> q : array<u32, 200000>;
fn most() { var a : array<u32, 131072>; var b : array<u32, 131072>; }
fn too_much() {
  var a : array<u32, 131072>;
  var b : array<u32, 131072>;
  var c : i32;                  // error limit_exceeded: larger than the limit of 1048576 bytes
  var d : i32;
}
fn huge() { var a : array<u32, 0x3fffffff>; }   // error limit_exceeded: larger than the limit
fn uses_q() { q[0] = 1; }
@compute @workgroup_size(1) fn one() { p[0] = 1; }
@compute @workgroup_size(1) fn both() { p[0] = 1; uses_q(); }   // error limit_exceeded: the private variables used by 'both'
