// Loops that invocations leave in different rounds, with what they loaded in their last one.
// run: groups 1, in a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], out b = [149, 148, 147, 146, 145, 144, 133, 132, 131, 130, 129, 128, 144, 112, 144, 150, 3, 7, 44, 101, 228, 9, 12, 72, 185, 159, 5, 33, 111, 282, 280, 3, 910, 921, 911, 910, 830, 911, 920, 912, 911, 920, 912, 820, 920, 910, 921, 930, 210, 101, 507, 101, 504, 504, 909, 507, 908, 504, 304, 104, 402, 310, 304, 502]

@group(0) @binding(0) var<storage> a : array<u32, 16>;
@group(0) @binding(1) var<storage, read_write> b : array<u32, 64>;

fn search(i : u32) -> u32 {
  var x : u32;
  var k = 0u;
  loop {
    x = a[(i + k) % 16];
    if (x > 6) { break; }
    k++;
  }
  return x * 16 + k;
}

fn sum(i : u32) -> u32 {
  var s = 0u;
  var k = 0u;
  loop {
    s = s * 3 + a[(i + k) % 16];
    continuing {
      k++;
      break if k >= 4 || k > i % 5;
    }
  }
  return s;
}

// Leaves both loops at once.
fn nested(i : u32) -> u32 {
  for (var j = 0u; j < 4; j++) {
    var k = 0u;
    loop {
      let y = a[(i * 3 + j * 5 + k) % 16];
      if (y + j > 9) { return y * 100 + j * 10 + k; }
      k++;
      if (k == 3) { break; }
    }
  }
  return 0;
}

fn pair(i : u32) -> u32 {
  var z : vec2u;
  var k = 0u;
  loop {
    z = vec2u(a[(i + k) % 16], z.x + 1);
    if (z.x == a[(k * 7 + 1) % 16] || k == 6) { break; }
    k++;
  }
  return z.x * 100 + z.y;
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i : u32) {
  b[i] = search(i);
  b[16 + i] = sum(i);
  b[32 + i] = nested(i);
  b[48 + i] = pair(i);
}
