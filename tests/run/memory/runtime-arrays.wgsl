// arrayLength; a runtime-sized array at the end of a structure.
// run: groups 1, in s = [5, 1, 2, 3, 4, 5, 6], in a = [7*0], out b = [2, 6, 7, 5, 21]
// run: groups 1, in s = [5, 1, 2, 3], in a = [0], out b = [1, _, 1, 5, _]

struct S { n : u32, rows : array<vec3u> }

@group(0) @binding(0) var<storage> s : S;
@group(0) @binding(1) var<storage> a : array<vec2f>;
@group(0) @binding(2) var<storage, read_write> b : array<u32, 5>;
@group(0) @binding(3) var<storage, read_write> c : array<u32>;

fn length(p : ptr<storage, array<vec3u>>) -> u32 {
  return arrayLength(p);
}

@compute @workgroup_size(1)
fn main() {
  b[0] = length(&s.rows);
  b[1] = s.rows[1].z;
  b[2] = arrayLength(&a) * 2 - 1;
  b[3] = s.n;
  var sum = 0u;
  let p = &s.rows;
  for (var i = 0u; i < arrayLength(p); i++) { sum += s.rows[i].x + p[i].y + (*p)[i].z; }
  b[4] = sum;
  _ = arrayLength(&c);
}
