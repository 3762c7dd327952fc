// The types of literals, and how abstract ones become concrete.
enable f16;
fn f() {
  let a : bool = true;
  let b : i32 = 1;
  let c : u32 = 1;
  let d : f32 = 1;
  let e : f16 = 1;
  let g : i32 = 1i;
  let h : u32 = 1u;
  let i : f32 = 1.5f;
  let j : f16 = 1.5h;
  let k : i32 = -2147483648;
  let l : u32 = 4294967295;
  var m = 1;
  m = 1i;
  var n = 1.5;
  n = 1f;
  let o : i32 = 1u;             // error type_mismatch: must have the type 'i32', found 'u32'
  let p : u32 = 1i;             // error type_mismatch: must have the type 'u32', found 'i32'
  let q : i32 = 1.0;            // error type_mismatch: found 'abstract-float'
  let r : f16 = 1f;             // error type_mismatch: must have the type 'f16', found 'f32'
  let s : f32 = 1h;             // error type_mismatch: found 'f16'
  let t : i32 = 2147483648;     // error conversion_range: 2147483648 does not fit in 'i32'
  let u : u32 = 4294967296;     // error conversion_range:
  let v : f16 = 1e6;            // error conversion_range:
  let w : f32 = 1e40;           // error conversion_range:
  let x : bool = 1;             // error type_mismatch: must have the type 'bool', found 'abstract-int'
}
