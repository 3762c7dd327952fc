fn f(v : vec3f, w : vec2<bool>) {
  var m = vec4i();
  let a : f32 = v.x + v.r + v.z + v.b;
  let b : vec2f = v.xy + v.rg + v.zz;
  let c : vec3<bool> = w.xyx;
  let d : vec4i = m.wzyx;
  let e : vec2f = v.xyz.zy.xx;
  m.x = 1;
  m.a += 2;
  _ = v.w;                    // error invalid_swizzle: '.w' names a component past the end of the vector ('vec3<f32>')
  _ = w.z;                    // error invalid_swizzle: past the end
  _ = v.xg;                   // error invalid_swizzle: mixes xyzw with rgba
  _ = v.xyzxy;                // error invalid_swizzle: has more than 4 letters
  _ = v.q;                    // error invalid_swizzle: has letters other than xyzw and rgba
  _ = v.length;               // error invalid_swizzle:
  m.xy = vec2(1);             // error not_assignable: several components of a vector cannot be written at once
  m.xy += vec2(1);            // error not_assignable: several components
  let p = &m.x;               // error invalid_address_of: a component of a vector has no address of its own
  let q = &m[1];              // error invalid_address_of: a component of a vector
  let r = &(m.z);             // error invalid_address_of: a component of a vector
}
