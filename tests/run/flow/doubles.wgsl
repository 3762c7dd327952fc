// f64 that decides how loops and switches go on, that pointers lead to, and in private memory.
// run: in x = [1.0, 2.0, 3.5, 7.0, 9.0, 12.25, 27.0, 1000000.0, 0.1, 6.0, 97.0, 0.001],
//   out y = [0.0, 1.0, 1.0, 13.0, 1.0, 1.414213562373095, 20.0, 13.0, 21.0, 1.8708286933869707,
//     35.0, 14.0, 16.0, 2.6457513110645907, 21.0, 13.0, 19.0, 3.0, -9.0, 13.0, 21.0, 3.5,
//     12.25, 31.5, 21.0, 5.196152422706632, 270.0, 13.0, 21.0, 1000.0, 10000000.0, 13.0,
//     0.0, 0.31622776601683794, 0.7999999999999999, 7.199999999999999, 8.0,
//     2.449489742783178, -6.0, 13.0, 21.0, 9.848857801796104, 97.0, 13.0, 0.0,
//     0.03162277660168379, 0.01, 7.002000000000001]
enable weft_f64;

@group(0) @binding(0) var<storage> x : array<f64, 12>;
@group(0) @binding(1) var<storage, read_write> y : array<array<f64, 4>, 12>;
var<private> own : array<vec3d, 4>;

fn collatz(start : f64) -> f64 {
  var n = start;
  var count = 0lf;
  loop {
    if n <= 1 { break; }
    if fract(n * 0.5) == 0 { n *= 0.5; continue; }
    n = 3 * n + 1;
    continuing { count += 1; break if count > 20; }
  }
  return count;
}

fn root(a : f64) -> f64 {
  var r = a;
  for (var i = 0; i < 60; i++) {
    let next = 0.5 * (r + a / r);
    if next == r { break; }
    r = next;
  }
  return r;
}

fn pick(i : u32, v : f64) -> f64 {
  switch i % 5 {
    case 0 { return v; }
    case 1, 2 { return v * 10; }
    case 3 { var s = 0lf; for (var k = 0u; k < i; k++) { s += v; } return s; }
    default { return -v; }
  }
}

fn put(p : ptr<function, vec3d>, i : u32, v : f64) { (*p)[i] = v; }

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i : u32) {
  let a = x[i];
  var v = vec3d(1, 2, 3);
  put(&v, i % 3, a);
  own[i & 3] = v.zyx;
  own[(i + 1) & 3].y = 7;
  y[i] = array(collatz(a), root(a), pick(i, a), own[i & 3].x + own[(i + 1) & 3].y + v[2]);
}
