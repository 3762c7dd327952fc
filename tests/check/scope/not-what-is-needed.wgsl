// Names of the wrong kind.
const c = 1;
var<private> v : i32;
struct S { x : i32 }
fn f() {}
var<private> t1 : c;        // error not_a_type: 'c' is a constant, not a type
var<private> t2 : v;        // error not_a_type: 'v' is a variable, not a type
var<private> t3 : f;        // error not_a_type: 'f' is a function, not a type
var<private> t4 : abs;      // error not_a_type: 'abs' is a builtin function, not a type
var<private> t5 : read;     // error not_a_type: 'read' is an access mode, not a type
var<private> t6 : uniform;  // error not_a_type: 'uniform' is an address space, not a type
var<private> t7 : r32uint;  // error not_a_type: 'r32uint' is a texel format, not a type
fn g() {
  _ = S;                    // error not_a_value: 'S' is a structure, not a value
  _ = f;                    // error not_a_value: 'f' is a function, not a value
  _ = i32;                  // error not_a_value: 'i32' is a type, not a value
  _ = vec3;                 // error not_a_value: 'vec3' is a type generator, not a value
  _ = max;                  // error not_a_value: 'max' is a builtin function, not a value
  _ = read_write;           // error not_a_value: 'read_write' is an access mode, not a value
  _ = workgroup;            // error not_a_value: 'workgroup' is an address space, not a value
  _ = rgba8unorm;           // error not_a_value: 'rgba8unorm' is a texel format, not a value
  _ = c();                  // error not_callable: 'c' is a constant, not a function
  v();                      // error not_callable: 'v' is a variable, not a function
  read();                   // error not_callable: 'read' is an access mode, not a function
  _ = v<i32>;               // error template_arguments: 'v' is a value and takes no template list
}
var<private> hidden : array<i32, 4>;
const storage = 1;
@group(0) @binding(0) var<storage> s : i32; // error template_arguments: 'storage' is a constant, not an address space
