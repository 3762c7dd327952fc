// Functions of vectors.
// run: groups 1, within 1e-5,
//   in v = [
//     1, 2, -2, 0, 0, 0.6, 0.8, 0, 3, 4, 0, 0, 1, 1, -1, 1, 2, 3, 4, 5],
//   out r = [
//     3, 5, 2, 3.28633535, -0.4, 6, 25, 0.333333333, 0.666666667, -0.666666667, 0.5, 0.5,
//     -0.5, 0.5, 2.8, -0.8, 0.6, 1, 2.48, -1.36, -147, -196, 0.166666667, -0.147819235,
//     -0.974870092, 0, 0, 0, 1, 2, -2, -1, -2, 2]

@group(0) @binding(0) var<storage> v : array<vec4f>;
@group(0) @binding(1) var<storage, read_write> r : array<f32>;

@compute @workgroup_size(1)
fn main() {
  let a = v[0].xyz;
  let b = v[1].xyz;
  let a2 = v[2].xy;
  let a4 = v[3];
  let b4 = v[4];
  let e = v[0].w;
  r[0] = length(a);
  r[1] = length(a2);
  r[2] = length(a4);
  r[3] = distance(a, b);
  r[4] = dot(a, b);
  r[5] = dot(a4, b4);
  r[6] = dot(a2, a2);
  r[7] = (normalize(a))[0];
  r[8] = (normalize(a))[1];
  r[9] = (normalize(a))[2];
  r[10] = (normalize(a4))[0];
  r[11] = (normalize(a4))[1];
  r[12] = (normalize(a4))[2];
  r[13] = (normalize(a4))[3];
  r[14] = (cross(a, b))[0];
  r[15] = (cross(a, b))[1];
  r[16] = (cross(a, b))[2];
  r[17] = (reflect(a, b))[0];
  r[18] = (reflect(a, b))[1];
  r[19] = (reflect(a, b))[2];
  r[20] = (reflect(a2, a2))[0];
  r[21] = (reflect(a2, a2))[1];
  r[22] = (refract(a / 3, b, 0.5))[0];
  r[23] = (refract(a / 3, b, 0.5))[1];
  r[24] = (refract(a / 3, b, 0.5))[2];
  r[25] = (refract(a / 3, b, 3 + e))[0];
  r[26] = (refract(a / 3, b, 3 + e))[1];
  r[27] = (refract(a / 3, b, 3 + e))[2];
  r[28] = (faceForward(a, b, a))[0];
  r[29] = (faceForward(a, b, a))[1];
  r[30] = (faceForward(a, b, a))[2];
  r[31] = (faceForward(a, b, -a))[0];
  r[32] = (faceForward(a, b, -a))[1];
  r[33] = (faceForward(a, b, -a))[2];
}
