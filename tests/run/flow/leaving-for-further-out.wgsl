// After a barrier some invocations leave a switch and go on behind it, the others leave the
// function or the kernel.

// run: entry kernels, out result = [0, 5, 0, 5, 0, 0]
// run: entry functions, groups 2, out result = [50, 62, 52, 64, 54, 0, 50, 62, 52, 64, 54, 0]
// run: entry loops, out result = [0, 7, 0, 7, 0, 0]
// run: entry nested, out result = [0, 34, 0, 64, 0, 0]
@group(0) @binding(0) var<storage, read_write> result : array<u32>;
var<workgroup> numbers : array<u32, 5>;

fn is_odd(i : u32) -> bool {
  numbers[i] = i;
  workgroupBarrier();
  return numbers[4 - i] % 2 == 1;
}

@compute @workgroup_size(5)
fn kernels(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u) {
  switch n.x {
    case 1: {
      numbers[i] = i;
      workgroupBarrier();
      if (numbers[4 - i] % 2 == 1) {
        break;
      }
      return;
    }
    default: {
    }
  }
  result[i] = 5;
}

fn f(i : u32, n : u32) -> u32 {
  var x = i;
  switch n {
    case 2: {
      if (is_odd(i)) {
        break;
      }
      return 50 + x;
    }
    default: {
    }
  }
  x += 1;
  return 60 + x;
}

@compute @workgroup_size(5)
fn functions(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u,
             @builtin(workgroup_id) group : vec3u) {
  let x = f(i, n.x);
  workgroupBarrier();
  result[group.x * 6 + i] = x;
}

@compute @workgroup_size(5)
fn loops(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u) {
  loop {
    switch n.x {
      case 1: {
        if (is_odd(i)) {
          break;
        }
        return;
      }
      default: {
      }
    }
    result[i] = 7;
    break;
  }
}

fn inner(i : u32, n : u32) -> u32 {
  switch n {
    case 1: {
      switch n {
        case 1: {
          numbers[i] = i;
          workgroupBarrier();
          if (i == 1) {
            break;
          }
          return 60 + i;
        }
        default: {
        }
      }
      return 32 + i;
    }
    default: {
    }
  }
  return 0;
}

@compute @workgroup_size(5)
fn nested(@builtin(local_invocation_index) i : u32, @builtin(num_workgroups) n : vec3u) {
  let x = inner(i, n.x);
  if (x % 2 == 0) {
    return;
  }
  result[i] = x + 1;
}
