// Vectors packed into words, unpacked, and reinterpreted.
// run: groups 1,
//   in f = [
//     -1.5, -0.3, 0.5, 2],
//   in i = [
//     -200, -1, 127, 300],
//   in u = [
//     2164227858],
//   out b = [
//     2134956673, 4286578688, 3650781185, 2147483648, 1073788109, 746585912, 2139094912,
//     746585912, 4286578687, 31382, 97862, 18, 4294967168, 127, 128, 939570381,
//     1073756160, 2164227858, 7, 1056964608, 2164227858],
//   out c = [
//     0.141732283, 1, -0.00787401575, -1, 0.0705882353, 0.498039216, 1, 0.501960784,
//     0.992767113, -0.992248299, 0.496375982, 0.50389868, 1, -0, 0, 0]

enable f16;

@group(0) @binding(0) var<storage> f : vec4f;
@group(0) @binding(1) var<storage> i : vec4i;
@group(0) @binding(2) var<storage> u : u32;
@group(0) @binding(3) var<storage, read_write> b : array<u32>;
@group(0) @binding(4) var<storage, read_write> c : array<vec4f>;

@compute @workgroup_size(1)
fn main() {
  let v = f;
  let n = i;
  let w = u;
  b[0] = pack4x8snorm(v);
  b[1] = pack4x8unorm(v);
  b[2] = pack2x16snorm(v.xy);
  b[3] = pack2x16unorm(v.yz);
  b[4] = pack2x16float(v.yw);
  b[5] = pack4xI8(n);
  b[6] = pack4xI8Clamp(n);
  b[7] = pack4xU8(vec4u(n));
  b[8] = pack4xU8Clamp(vec4u(n));
  b[9] = bitcast<u32>(dot4I8Packed(w, w ^ 0x1020u));
  b[10] = dot4U8Packed(w, w);
  b[11] = bitcast<u32>(unpack4xI8(w).x);
  b[12] = bitcast<u32>(unpack4xI8(w).w);
  b[13] = unpack4xU8(w).y;
  b[14] = unpack4xU8(w).w;
  b[15] = bitcast<u32>(vec2h(v.yz));
  b[16] = bitcast<vec2u>(vec4h(v)).y;
  b[17] = bitcast<u32>(bitcast<vec2h>(w));
  b[18] = bitcast<vec2u>(bitcast<vec4h>(vec2u(w, 7)))[1];
  b[19] = bitcast<u32>(v.z);
  b[20] = bitcast<u32>(bitcast<f32>(bitcast<i32>(w)));
  c[0] = unpack4x8snorm(w);
  c[1] = unpack4x8unorm(w);
  c[2] = vec4f(unpack2x16snorm(w), unpack2x16unorm(w));
  c[3] = vec4f(unpack2x16float(0x3c00u + (w & 0x80000000u)), 0, 0);
}
