// Tables of constants, too large to be stored number by number, indexed at run time: scalars,
// structures, arrays of arrays. Their elements are not a multiple of anything.
// run: groups 1, out b = [2, 53, 59, 311, 541, 664213211, 129294939, 4212872068]

const primes = array<u32, 100>(
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89,
  97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191,
  193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283,
  293, 307, 311, 313, 317, 331, 337, 347, 349, 353, 359, 367, 373, 379, 383, 389, 397, 401,
  409, 419, 421, 431, 433, 439, 443, 449, 457, 461, 463, 467, 479, 487, 491, 499, 503, 509,
  521, 523, 541);

struct Row { place : vec3f, parts : array<i32, 3>, used : bool, pair : vec2u }

const rows = array(
  Row(vec3f(0, -3, 0), array(0, 0, 7), false, vec2u(0, 1000)),
  Row(vec3f(0.5, -2, 2.25), array(1, -1, 6), true, vec2u(17, 999)),
  Row(vec3f(1, -1, 4.5), array(4, -2, 5), false, vec2u(11, 998)),
  Row(vec3f(1.5, 0, 6.75), array(9, -3, 4), false, vec2u(5, 997)),
  Row(vec3f(2, 1, 9), array(16, -4, 3), true, vec2u(22, 996)),
  Row(vec3f(2.5, 2, 11.25), array(25, -5, 2), false, vec2u(16, 995)),
  Row(vec3f(3, 3, 13.5), array(36, -6, 1), false, vec2u(10, 994)),
  Row(vec3f(3.5, 4, 15.75), array(49, -7, 0), true, vec2u(4, 993)),
  Row(vec3f(4, 5, 18), array(64, -8, -1), false, vec2u(21, 992)),
  Row(vec3f(4.5, 6, 20.25), array(81, -9, -2), false, vec2u(15, 991)),
  Row(vec3f(5, 7, 22.5), array(100, -10, -3), true, vec2u(9, 990)),
  Row(vec3f(5.5, 8, 24.75), array(121, -11, -4), false, vec2u(3, 989)),
  Row(vec3f(6, 9, 27), array(144, -12, -5), false, vec2u(20, 988)),
  Row(vec3f(6.5, 10, 29.25), array(169, -13, -6), true, vec2u(14, 987)));

const grid = array(
  array(100u, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 101, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 102, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 5, 103, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 5, 5, 104, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 5, 5, 5, 105, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 5, 5, 5, 5, 106, 5, 5, 5, 5, 5, 5, 5, 5, 5),
  array(5u, 5, 5, 5, 5, 5, 5, 107, 5, 5, 5, 5, 5, 5, 5, 5));

@group(0) @binding(0) var<storage, read_write> b : array<u32, 8>;

fn sum_of_primes() -> u32 {
  var sum = 0u;
  for (var i = 0u; i < 100; i++) { sum = sum * 31 + primes[i]; }
  return sum;
}

fn sum_of_rows() -> u32 {
  var sum = 0u;
  for (var i = 0u; i < 14; i++) {
    let p = rows[i].parts;
    sum = sum * 31 + bitcast<u32>(i32(dot(rows[i].place, vec3f(4, 16, 64))));
    sum = sum * 31 + bitcast<u32>(p[0] - 2 * p[1] + 3 * p[2]);
    sum = sum * 31 + select(0u, 1u, rows[i].used) + rows[i].pair.x * 3 + rows[i].pair.y;
  }
  return sum;
}

fn sum_of_grid() -> u32 {
  var sum = 0u;
  for (var i = 0u; i < 8; i++) {
    for (var j = 0u; j < 16; j++) { sum = sum * 31 + grid[i][j]; }
  }
  return sum;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = primes[z];
  b[1] = primes[z + 15];
  b[2] = primes[z + 16];
  b[3] = primes[z + 63];
  b[4] = primes[z + 99];
  b[5] = sum_of_primes();
  b[6] = sum_of_rows();
  b[7] = sum_of_grid();
}
