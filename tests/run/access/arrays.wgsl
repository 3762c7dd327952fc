// Arrays indexed at run time: variables, values, parameters, constants.
// run: groups 1, in a = [5, 6, 7, 8], out b = [6, 7, 8, 30, 400, 4, 12, 7, 8, 5, 13, 2]

const squares = array(0, 1, 4, 9, 16, 25, 36, 49);
const table = array<vec2i, 3>(vec2i(1, 2), vec2i(3, 4), vec2i(5, 6));

@group(0) @binding(0) var<storage> a : array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;

struct Pair { x : array<i32, 3>, y : i32 }

fn pick(x : array<i32, 4>, i : u32) -> i32 {
  return x[i];
}

fn twice(x : array<i32, 6>, i : u32) -> i32 {
  var sum = 0;
  for (var k = 0u; k < 2; k++) { sum += x[i + k]; }
  return sum;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = a[z + 1];
  let v = a;
  b[1] = v[z + 2];
  b[2] = pick(a, z + 3);
  let w = array(10, 20, 30, 40, 50, 60);
  b[3] = w[z + 2];
  var x = array(w, w);
  x[z + 1][z + 3] *= 10;
  b[4] = x[1][3];
  b[5] = squares[z + 2];
  b[6] = table[z + 2].y * 2;
  let s = Pair(array(7, 8, 9), 3);
  b[7] = s.x[z];
  b[8] = s.x[s.y - 2 + i32(z)];
  b[9] = array(a, a)[z + 1][z];
  b[10] = twice(array(1, 2, 3, 6, 7, 8), z + 3);
  b[11] = array(v[0], 1, 2)[z + 2];
}
