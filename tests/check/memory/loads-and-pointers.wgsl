@group(0) @binding(0) var<storage, read_write> rw : array<u32, 4>;
@group(0) @binding(1) var<storage> ro : array<u32, 4>;
@group(0) @binding(2) var<uniform> uni : vec4u;
@group(0) @binding(3) var tex : texture_2d<f32>;
@group(0) @binding(4) var sam : sampler;
@group(0) @binding(5) var<storage, read_write> at : atomic<u32>;
var<private> pri : vec2f;
var<workgroup> wg : i32;
fn accepted(p : ptr<storage, array<u32, 4>, read_write>, q : ptr<function, i32>) -> u32 {
  var x = 1;
  let px = &x;
  let ppx = &*px;
  *px = 2;
  *ppx = *q + *px;
  *q += 1;
  (*q)++;
  rw[0] = ro[1];
  (*p)[1] = uni.x;
  p[2] = uni[1];
  let e = &rw[3];
  *e = 5;
  pri.x = 1;
  wg = 2;
  _ = &at;
  _ = tex;
  _ = &rw;
  return *e + rw[0];
}
fn rejected(q : ptr<function, i32>, r : ptr<storage, u32>, v : vec2f) {
  var x = 1;
  let px = &x;
  ro[0] = 1;                  // error not_assignable: it can only be read
  uni.x = 1;                  // error not_assignable: it can only be read
  *r = 1;                     // error not_assignable: it can only be read
  tex = tex;                  // error not_assignable: it can only be read
  at = 1;                     // error not_assignable: an atomic is written with atomicStore
  px = 1;                     // error not_assignable: it is a pointer: write '*' before it
  q = &x;                     // error not_assignable: it is a pointer
  _ = px + 1;                 // error operand_type: cannot be applied to 'ptr<function, i32>' and 'abstract-int'
  _ = *x;                     // error invalid_indirection: '*' needs a pointer, found 'i32'
  _ = *1;                     // error invalid_indirection: found 'abstract-int'
  _ = &1;                     // error invalid_address_of: it is a value, not a place in memory
  _ = &v;                     // error invalid_address_of: it is a value
  _ = &px;                    // error invalid_address_of: it is a value
  _ = &tex;                   // error invalid_address_of: textures and samplers have no address
  _ = &sam;                   // error invalid_address_of: textures and samplers
  _ = at;                     // error not_loadable: use atomicLoad to read an atomic
  v.x = 1;                    // error not_assignable: it is a value
  &x = 1;                     // error not_assignable: it is a pointer
  x = true;                   // error type_mismatch: the assigned value must have the type 'i32', found 'bool'
  pri = vec3f();              // error type_mismatch: must have the type 'vec2<f32>', found 'vec3<f32>'
}
