// After the last barrier of a function or of a switch, invocations may leave it one by
// one, from inside of other constructs that have barriers, too. They come back after it.

// run: entry functions, groups 2, out result = [100, 201, 202, 203, 204, 0, 100, 201, 202,
//      203, 204, 0]
// run: entry switches, out result = [1000, 1001, 12, 13, 14, 0]
// run: entry returns, out result = [1, 1, 2, 2, 2, 0]
// run: entry loops, out result = [7, 7, 7, 9, 9, 0]
@group(0) @binding(0) var<storage, read_write> result : array<u32>;
var<workgroup> numbers : array<u32, 5>;
var<workgroup> own : array<u32, 5>;

fn f(i : u32, deep : bool) -> u32 {
  if (deep) {
    numbers[i] = i;
    workgroupBarrier();
    if (numbers[4 - i] == 4) {
      return 100;
    }
    own[i] += 1;
  }
  own[i] += 100;
  return own[i] + 99 + i;
}

@compute @workgroup_size(5)
fn functions(@builtin(local_invocation_index) i : u32, @builtin(workgroup_id) group : vec3u) {
  let x = f(i, group.x < 5);
  workgroupBarrier();
  result[group.x * 6 + i] = x;
}

@compute @workgroup_size(5)
fn switches(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u) {
  var x = i;
  switch n.x {
    case 1: {
      if (n.y == 1) {
        numbers[i] = i;
        workgroupBarrier();
        if (numbers[4 - i] > 2) {
          x += 1000;
          break;
        }
      }
      x += 10;
    }
    default: {
    }
  }
  workgroupBarrier();
  result[i] = x;
}

@compute @workgroup_size(5)
fn returns(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u) {
  if (n.x == 1) {
    numbers[i] = i;
    workgroupBarrier();
    result[i] = 1;
    if (numbers[4 - i] > 2) {
      return;
    }
  }
  result[i] += 1;
}

fn g(i : u32) -> u32 {
  numbers[i] = i;
  workgroupBarrier();
  for (var k = 0u; k < 3; k++) {
    if (numbers[4 - i] == 4 - k) {
      return 7;
    }
  }
  return 9;
}

@compute @workgroup_size(5)
fn loops(@builtin(local_invocation_index) i : u32) {
  result[i] = g(i);
}
