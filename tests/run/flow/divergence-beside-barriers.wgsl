// Lanes may part before and after barriers, and in what is called between them.
// run: groups 1, out b = [1150, 1021, 1150, 1023, 1150, 1025, 1150, 1027, 1150, 1029,
//   1150, 1031]

@group(0) @binding(0) var<storage, read_write> b : array<u32>;
var<workgroup> w : array<u32, 12>;

// Returns at different times, after its barrier.
fn late(local : u32) -> u32 {
  w[local] = local;
  workgroupBarrier();
  let x = w[(local + 1) % 12];
  if local % 2 == 0 { return x * 2; }
  for (var k = 0u; k < 12; k++) {
    if k == local { return k; }
  }
  return 0;
}

// Returns at different times; the barrier comes before the call.
fn search(local : u32) -> u32 {
  loop {
    if local % 2 == 0 { return 100; }
    switch local {
      case 1, 3: { break; }
      default: { return local; }
    }
    break;
  }
  return local;
}

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) local : u32) {
  var r = 0u;
  for (var k = 0u; k < 3; k++) {
    let x = late(local);
    if x % 2 == 0 {
      r += 10;
    } else if x > 4 {
      r += 10;
    } else {
      for (var m = 0u; m < x; m++) { if m == 2 { break; } r += 0; }
      r += 10;
    }
    workgroupBarrier();
    switch local % 3 {
      case 0: { if local == 3 { break; } r += 0; }
      default: {}
    }
  }
  workgroupBarrier();
  r += search(local) - 10;
  workgroupBarrier();
  if local == 50 { return; }
  b[local] = r + 1000 + u32(local % 2 == 0) * 30;
  if local > 3 { return; }
  b[local] += 0;
}
