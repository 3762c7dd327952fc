// After the barrier of a function all leave it from inside another construct, so that
// its end is not reached: what comes after the call is.
// run: entry one, out result = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0]
// run: entry two, out result = [1, 1, 12, 13, 14, 15, 16, 17, 18, 19, 0]
@group(0) @binding(0) var<storage, read_write> result : array<u32>;

fn same(x : u32) -> u32 {
  workgroupBarrier();
  switch (17u) {
    default: { return x + 10; }
  }
}

@compute @workgroup_size(10)
fn one(@builtin(local_invocation_index) local : u32) {
  let x = same(local);
  workgroupBarrier();
  result[local] = x;
}

// Two of them go for good.
fn some(x : u32) -> u32 {
  workgroupBarrier();
  switch (x) {
    case 0, 1: { return 0; }
    default: { return x; }
  }
}

@compute @workgroup_size(10)
fn two(@builtin(local_invocation_index) local : u32) {
  let x = some(local);
  workgroupBarrier();
  if x == 0 {
    result[local] = 1;
    return;
  }
  result[local] = x + 10;
}
