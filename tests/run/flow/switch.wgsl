// Several selectors, the default in the middle, break, negative values.
// run: groups 1, in a = [0, 1, 2, 3, 4, -5, 100],
//   out b = [50, 10, 10, 30, 41, -55, 50]

@group(0) @binding(0) var<storage> a : array<i32>;
@group(0) @binding(1) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i : u32) {
  var r = 0;
  switch a[i] {
    case 1, 2: {
      r = 10;
    }
    case 3: {
      r = 30;
      if i == 3 {
        break;
      }
      r = 31;
    }
    default: {
      r = 50;
    }
    case 4, {
      r = 40;
      r++;
    }
    case -5: {
      b[i] = -55;
      return;
    }
  }
  b[i] = r;
}
