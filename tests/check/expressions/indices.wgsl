override o = 1;
@group(0) @binding(0) var<storage> r : array<i32>;
const arr = array(1, 2, 3);
fn f(i : i32, u : u32, m : mat2x3f, v : vec3f, a : array<vec2f, 4>) {
  var n = mat4x2f();
  _ = v[i] + v[u] + v[0] + v[2u] + m[1][2] + n[3].y + a[3][1];
  _ = a[o];
  _ = r[3000000000];
  _ = arr[i] + arr[2];
  _ = vec3(1, 2, 3)[i];
  n[i][u] = 1;
  _ = v[3];                   // error index_out_of_bounds: the index 3 is out of bounds: 'vec3<f32>' has the indices 0 to 2
  _ = v[-1];                  // error index_out_of_bounds: the index -1
  _ = m[2];                   // error index_out_of_bounds: 'mat2x3<f32>' has the indices 0 to 1
  _ = m[1][3];                // error index_out_of_bounds: 'vec3<f32>'
  _ = a[4u];                  // error index_out_of_bounds: 'array<vec2<f32>, 4>' has the indices 0 to 3
  _ = n[4];                   // error index_out_of_bounds: 'mat4x2<f32>'
  n[1][2] = 1;                // error index_out_of_bounds: 'vec2<f32>'
  _ = r[-1];                  // error index_out_of_bounds: the index -1 is negative
  _ = arr[3];                 // error index_out_of_bounds: has the indices 0 to 2
  _ = v[1.0];                 // error invalid_index: an index must be an i32 or u32 value, found 'abstract-float'
  _ = v[true];                // error invalid_index: found 'bool'
  _ = v[v];                   // error invalid_index: found 'vec3<f32>'
  _ = i[0];                   // error not_composite: 'i32' has no elements to index
  _ = v[5000000000];          // error conversion_range:
}
