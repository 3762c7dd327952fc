// What all invocations load at one place in a loop; and places that only look like one.
// run: groups 1, in a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], out b = [56249652, 112499304, 168748956, 224998608, 281248260, 337497912, 393747564, 449997216, 506246868, 562496520, 618746172, 674995824, 731245476, 787495128, 843744780, 899994432, 956244084, 1012493736, 31, 45, 59, 73, 87, 101, 33, 50, 67, 84, 101, 118, 47, 75, 103, 131, 159, 187, 3, 7, 18, 37, 79, 167, 3, 7, 18, 37, 79, 167, 3, 7, 18, 37, 79, 167, 141, 96, 87, 141, 96, 87, 141, 96, 87, 141, 96, 87, 141, 96, 87, 141, 96, 87, 1530, 841530, 1681530, 2521530, 3361530, 4201530, 1548, 841548, 1681548, 2521548, 3361548, 4201548, 1566, 841566, 1681566, 2521566, 3361566, 4201566, 41, 51, 60, 69, 78, 87, 41, 51, 60, 69, 78, 87, 41, 51, 60, 69, 78, 87]

@group(0) @binding(0) var<storage> a : array<u32, 16>;
@group(0) @binding(1) var<storage, read_write> b : array<u32, 108>;
var<workgroup> tile : array<vec3f, 18>;

fn all(n : u32) -> u32 {
  var s = 0u;
  for (var k = 0u; k < 16; k++) { s = s * 3 + a[k] * (n + 1); }
  return s;
}

// The same in a row, but rows are shorter than subgroups.
fn row(x : u32, y : u32) -> u32 {
  var s = 0u;
  for (var k = 0u; k < 8; k++) {
    if (k % 2 == 0) { s += a[y * 4 + k] * (x + 1); } else { s += a[(y + k) % 16]; }
  }
  return s;
}

// The first invocation leaves first.
fn apart(x : u32) -> u32 {
  var s = 0u;
  var k = 0u;
  loop {
    if (k > x) { break; }
    s = s * 2 + a[k];
    k++;
  }
  return s;
}

fn skips(x : u32) -> u32 {
  var s = 0u;
  for (var k = 0u; k < 8; k++) {
    if ((x + k) % 3 == 0) { continue; }
    s += a[k] * (k + 1);
  }
  return s;
}

fn through_tile(x : u32, y : u32) -> u32 {
  var s = vec3f();
  for (var k = 0u; k < 18; k++) { s += tile[k] * vec3f(f32(x), 1, f32(y)); }
  return u32(s.x) * 10000 + u32(s.y) * 10 + u32(s.z);
}

fn nested(x : u32) -> u32 {
  var s = 0u;
  for (var j = 0u; j < 3; j++) {
    var k = 0u;
    loop {
      s += a[j * 4 + k] + x;
      continuing {
        k++;
        break if k >= j + 2;
      }
    }
  }
  return s;
}

@compute @workgroup_size(6, 3)
fn main(@builtin(local_invocation_id) id : vec3u, @builtin(local_invocation_index) i : u32) {
  tile[i] = vec3f(f32(a[i % 16]), f32(i), 1);
  workgroupBarrier();
  b[i] = all(i);
  b[18 + i] = row(id.x, id.y);
  b[36 + i] = apart(id.x);
  b[54 + i] = skips(id.x);
  b[72 + i] = through_tile(id.x, id.y);
  b[90 + i] = nested(id.x);
  if (id.x == 0) { return; }
  for (var k = 0u; k < 4; k++) { b[90 + i] += a[k] - 2; }
}
