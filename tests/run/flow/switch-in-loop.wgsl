// break leaves the switch, continue goes on with the loop around it.
// run: groups 1, out b = [0, 0, 3, 7, 7, 12]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) n : u32) {
  var sum = 0;
  for (var i = 0; i <= i32(n); i++) {
    switch i % 3 {
      case 0: {
        if i == 3 {
          sum += 4;
          break;
        }
        continue;
      }
      case 1: {
        break;
      }
      default: {
        sum += i;
        if sum > 100 { return; }
      }
    }
    sum += i32(i == 2);
  }
  b[n] = sum;
}
