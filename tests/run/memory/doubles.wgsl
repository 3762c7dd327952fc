// f64 in every kind of memory that may hold it: eight bytes, in structures, vectors and
// matrices, beside words, indexed by each invocation.
// run: groups 2, in a = [1, 0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7],
//   in x = [0.5, 1.25, 2, 3e300, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
//   out b = [1, 0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7],
//   out y = [1.5, 2.35, 3.2, 3e+300, 5.4, 6.5, 7.6, 8.7, 9.8, 10.9, 12.0, 13.1, 14.2,
//       15.3, 16.4, 17.5, 18.6, 19.7],
//   out t = [8.0, 7.0, 6.0, 5.0, 4.0, 3e+300, 2.0, 1.25, 0.5, 17.0, 16.0, 15.0, 14.0,
//       13.0, 12.0, 11.0, 10.0, 9.0]
enable weft_f64;

struct D { n : u32, a : f64, v : vec3d, m : mat3x3d, w : f32 }

@group(0) @binding(0) var<storage> a : D;
@group(0) @binding(1) var<storage, read_write> b : D;
@group(0) @binding(2) var<storage> x : array<f64>;
@group(0) @binding(3) var<storage, read_write> y : array<f64>;
@group(0) @binding(4) var<storage, read_write> t : array<f64>;
var<workgroup> tile : array<vec2d, 9>;
var<private> own : array<f64, 3>;
const table = array<f64, 4>(1, 1.1, 1.2, 0x1p60lf);

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i : u32, @builtin(workgroup_id) group : vec3u) {
  let g = group.x * 9 + i;
  var copy = a;
  if g == 0 { b = copy; }
  own[i % 3] = x[g];
  own[(i + 1) % 3] = f64(g) * 0.1 + table[0];
  y[g] = own[i % 3] + own[(i + 1) % 3];
  tile[i] = vec2d(x[g], -1);
  workgroupBarrier();
  let j = select(i, (i + 1) % 9, i % 2 == 0);
  copy.v[i % 3] = tile[8 - i].x;
  t[g] = copy.v[i % 3] + tile[j].y + 1;
}
