// Components of integer vectors are computed one by one, each operation once, however often its
// result is used: at most 48 products.
// weft compile --dump=trim
// count 46: = imul
@group(0) @binding(0) var<storage, read_write> y : array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sums : array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
  var v = y[id.x];
  v = (v ^ vec4u(3, 1, 2, 9)) * vec4u(3, 5, 7, 9) + (v >> vec4u(1));
  v = (v ^ vec4u(20, 6, 5, 10)) * vec4u(5, 7, 9, 11) + (v >> vec4u(2));
  v = (v ^ vec4u(37, 11, 8, 11)) * vec4u(7, 9, 11, 13) + (v >> vec4u(3));
  v = (v ^ vec4u(54, 16, 11, 12)) * vec4u(9, 11, 13, 15) + (v >> vec4u(4));
  v = (v ^ vec4u(71, 21, 14, 13)) * vec4u(11, 13, 15, 17) + (v >> vec4u(5));
  v = (v ^ vec4u(88, 26, 17, 14)) * vec4u(13, 15, 17, 19) + (v >> vec4u(1));
  v = (v ^ vec4u(105, 31, 20, 15)) * vec4u(15, 17, 19, 21) + (v >> vec4u(2));
  v = (v ^ vec4u(122, 36, 23, 16)) * vec4u(17, 19, 21, 23) + (v >> vec4u(3));
  v = (v ^ vec4u(139, 41, 26, 17)) * vec4u(19, 21, 23, 25) + (v >> vec4u(4));
  v = (v ^ vec4u(156, 46, 29, 18)) * vec4u(21, 23, 25, 27) + (v >> vec4u(5));
  v = (v ^ vec4u(173, 51, 32, 19)) * vec4u(23, 25, 27, 29) + (v >> vec4u(1));
  v = (v ^ vec4u(190, 56, 35, 20)) * vec4u(25, 27, 29, 31) + (v >> vec4u(2));
  sums[id.x] = v.x + v.y + v.z + v.w;
}
