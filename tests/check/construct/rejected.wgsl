// Parts that a value cannot be made from.
struct S { a : i32, b : vec2<f32> }
struct A { a : atomic<u32> }
struct R { a : array<u32> }
override n : u32 = 4;

fn scalars() {
  _ = i32(1, 2);             // error constructor_arguments: 'i32' is made of 1 value or none, but 2 are given
  _ = i32(vec2(1, 2));       // error constructor_arguments: 'i32' is made from a scalar, but this is 'vec2<abstract-int>'
  _ = f32(S());              // error constructor_arguments: 'f32' is made from a scalar, but this is 'S'
  _ = u32(-1);               // error conversion_range: -1
  _ = i32(5000000000);       // error conversion_range: 5000000000
}

fn vectors(f : f32, i : i32) {
  _ = vec3(1, 2);            // error constructor_arguments: 'vec3' needs 1 or 3 components, but 2 are given
  _ = vec3<f32>(1, 2, 3, 4); // error constructor_arguments: 'vec3<f32>' needs 1 or 3 components, but 4 are given
  _ = vec2(vec3(1, 2, 3));   // error constructor_arguments: 'vec2' needs 1 or 2 components, but 3 are given
  _ = vec2(f, i);            // error constructor_arguments: 'vec2' cannot be made from (f32, i32)
  _ = vec2<f32>(f, i);       // error constructor_arguments: 'f32' is needed here to make 'vec2<f32>', but this is 'i32'
  _ = vec2<f32>(i);          // error constructor_arguments: 'f32' is needed here to make 'vec2<f32>', but this is 'i32'
  _ = vec2(true, 1);         // error constructor_arguments: 'vec2' cannot be made from (bool, abstract-int)
  _ = vec2(S());             // error constructor_arguments: 'vec2' cannot be made from (S)
  _ = vec4(vec2(f), vec2(i)); // error constructor_arguments: 'vec4' cannot be made from (vec2<f32>, vec2<i32>)
  _ = vec3u(1, -1, 2);       // error conversion_range: -1
}

fn matrices(f : f32, m : mat2x3<f32>) {
  _ = mat2x2();              // error constructor_arguments: 'mat2x2' is made from one mat2x2, 2 columns of vec2, or 4 elements
  _ = mat2x2(1, 2, 3);       // error constructor_arguments: cannot be made from (abstract-int, abstract-int, abstract-int)
  _ = mat2x2(m);             // error constructor_arguments: cannot be made from (mat2x3<f32>)
  _ = mat2x2f(vec3f(), vec3f());  // error constructor_arguments: cannot be made from (vec3<f32>, vec3<f32>)
  _ = mat2x2(vec2f(), 1, 2); // error constructor_arguments: cannot be made from
  _ = mat2x2(1i, 2i, 3i, 4i); // error constructor_arguments: cannot be made from (i32, i32, i32, i32)
  _ = mat2x2f(1i, f, f, f);  // error constructor_arguments: 'f32' is needed here to make 'mat2x2<f32>', but this is 'i32'
  _ = mat2x2f(vec2(true), vec2(false)); // error constructor_arguments: // error constructor_arguments:
}

fn arrays(i : i32, f : f32) {
  _ = array();               // error constructor_arguments: the element type of 'array()' is not known
  _ = array(i, f);           // error constructor_arguments: 'i32' is needed here to make an array with the elements before it, but this is 'f32'
  _ = array(1, true);        // error constructor_arguments:
  _ = array<i32, 3>(1, 2);   // error constructor_arguments: 'array<i32, 3>' is made of 3 values or none, but 2 are given
  _ = array<i32, 2>(1, 2.5); // error constructor_arguments: 'i32' is needed here to make 'array<i32, 2>', but this is 'abstract-float'
  _ = array<i32>(1, 2);      // error not_constructible: a value of type 'array<i32>' cannot be constructed: it has no fixed size
  _ = array<i32, n>();       // error not_constructible: its size is not fixed when the module is made
}

fn structures() {
  _ = S(1);                  // error constructor_arguments: 'S' has 2 members, but 1 value is given
  _ = S(1, vec2f(), 3);      // error constructor_arguments: 'S' has 2 members, but 3 values are given
  _ = S(1.5, vec2f());       // error constructor_arguments: 'i32' is needed here to make the member 'a', but this is 'abstract-float'
  _ = A();                   // error not_constructible: a value of type 'A' cannot be constructed: it contains an atomic
  _ = R();                   // error not_constructible: it has no fixed size
  _ = atomic<u32>();         // error not_constructible: a value of type 'atomic<u32>' cannot be constructed
  _ = sampler();             // error not_constructible: a value of type 'sampler' cannot be constructed
}

fn dropped() {
  vec3(1, 2, 3);             // error result_not_used: the result of the constructor of 'vec3<abstract-int>' must be used
  S();                       // error result_not_used: the result of the constructor of 'S' must be used
}
