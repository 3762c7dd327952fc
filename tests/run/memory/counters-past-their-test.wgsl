// Counters that go on past the test of their loop: what they index stays in bounds.
// run: entry switches, groups 1, in a = [100*1, 28*0], out b = [48*7, _], out c = [8*0]
// run: entry continues, groups 1, out b = [48*7, _], out c = [8*10]
// run: entry sometimes, groups 1, in a = [100*1, 28*0], out b = [48*7, _], out c = [8*10]
// run: entry known, groups 1, in a = [100*1, 28*0], out d = [48*7, _], out c = [8*10]
// run: entry inside, groups 1, in a = [100*1, 28*0], out c = [8*8]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
@group(0) @binding(2) var<storage, read_write> c : array<u32>;
@group(0) @binding(3) var<storage, read_write> d : array<u32, 49>;
var<workgroup> w : array<u32, 16>;
var<workgroup> beside : array<u32, 128>;

// Some rounds do not come to it.
@compute @workgroup_size(8)
fn switches(@builtin(local_invocation_index) l : u32) {
  var s = 0u;
  for (var k = 0u; ; k++) {
    switch a[k & 127] {
      case 1: { b[k] = 7; continue; }
      default: {}
    }
    if k < 10u {} else { break; }
    s++;
  }
  c[l] = s;
}

// It does not end the loop.
@compute @workgroup_size(8)
fn continues(@builtin(local_invocation_index) l : u32) {
  var s = 0u;
  var k = 0u;
  loop {
    b[k] = 7;
    if k < 10u {} else { continue; }
    s++;
    continuing { k++; break if k == 100; }
  }
  c[l] = s;
}

@compute @workgroup_size(8)
fn sometimes(@builtin(local_invocation_index) l : u32) {
  var s = 0u;
  for (var k = 0; ; k++) {
    b[k] = 7;
    if k < 10 {} else { if a[k] == 1 { continue; } break; }
    s++;
  }
  c[l] = s;
}

@compute @workgroup_size(8)
fn known(@builtin(local_invocation_index) l : u32) {
  var s = 0u;
  for (var k = 0u; ; k++) {
    d[k] = 7;
    if k < 10u {} else { if a[k] == 1 { continue; } break; }
    s++;
  }
  c[l] = s;
}

@compute @workgroup_size(8)
fn inside(@builtin(local_invocation_index) l : u32) {
  for (var k = 0u; ; k++) {
    w[k] = 1;
    if k < 10u {} else { if a[k] == 1 { continue; } break; }
  }
  workgroupBarrier();
  var s = 0u;
  for (var i = 0u; i < 128; i++) { s += beside[i]; }
  c[l] = s + w[l] * 8;
}
