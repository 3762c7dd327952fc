// A variable in a loop or an inlined function is new each time it is declared.
// run: groups 1, out b = [3, 30, 6, 0]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn count(n : i32) -> i32 {
  var total : i32;
  var seen : array<i32, 70>;
  for (var i = 0; i < n; i++) {
    var fresh : i32;
    fresh++;
    total += fresh;
    seen[i]++;
    total += seen[69];
  }
  return total;
}

@compute @workgroup_size(1)
fn main() {
  b[0] = count(3);
  for (var i = 0; i < 5; i++) {
    b[1] += count(i) * 3;
    var large : array<i32, 80>;
    large[i] += 1;
    b[3] += large[(i + 79) % 80];
  }
  b[2] = count(2) + count(4);
}
