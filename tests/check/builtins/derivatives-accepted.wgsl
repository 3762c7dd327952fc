// Every derivative, of a scalar and of each width.
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
var<private> f4 : vec4<f32>;

fn use_dpdx() {
  let r0 : f32 = dpdx(f1);
  let r1 : vec2<f32> = dpdx(f2);
  let r2 : vec3<f32> = dpdx(f3);
  let r3 : vec4<f32> = dpdx(f4);
}

fn use_dpdxCoarse() {
  let r0 : f32 = dpdxCoarse(f1);
  let r1 : vec2<f32> = dpdxCoarse(f2);
  let r2 : vec3<f32> = dpdxCoarse(f3);
  let r3 : vec4<f32> = dpdxCoarse(f4);
}

fn use_dpdxFine() {
  let r0 : f32 = dpdxFine(f1);
  let r1 : vec2<f32> = dpdxFine(f2);
  let r2 : vec3<f32> = dpdxFine(f3);
  let r3 : vec4<f32> = dpdxFine(f4);
}

fn use_dpdy() {
  let r0 : f32 = dpdy(f1);
  let r1 : vec2<f32> = dpdy(f2);
  let r2 : vec3<f32> = dpdy(f3);
  let r3 : vec4<f32> = dpdy(f4);
}

fn use_dpdyCoarse() {
  let r0 : f32 = dpdyCoarse(f1);
  let r1 : vec2<f32> = dpdyCoarse(f2);
  let r2 : vec3<f32> = dpdyCoarse(f3);
  let r3 : vec4<f32> = dpdyCoarse(f4);
}

fn use_dpdyFine() {
  let r0 : f32 = dpdyFine(f1);
  let r1 : vec2<f32> = dpdyFine(f2);
  let r2 : vec3<f32> = dpdyFine(f3);
  let r3 : vec4<f32> = dpdyFine(f4);
}

fn use_fwidth() {
  let r0 : f32 = fwidth(f1);
  let r1 : vec2<f32> = fwidth(f2);
  let r2 : vec3<f32> = fwidth(f3);
  let r3 : vec4<f32> = fwidth(f4);
}

fn use_fwidthCoarse() {
  let r0 : f32 = fwidthCoarse(f1);
  let r1 : vec2<f32> = fwidthCoarse(f2);
  let r2 : vec3<f32> = fwidthCoarse(f3);
  let r3 : vec4<f32> = fwidthCoarse(f4);
}

fn use_fwidthFine() {
  let r0 : f32 = fwidthFine(f1);
  let r1 : vec2<f32> = fwidthFine(f2);
  let r2 : vec3<f32> = fwidthFine(f3);
  let r3 : vec4<f32> = fwidthFine(f4);
}
