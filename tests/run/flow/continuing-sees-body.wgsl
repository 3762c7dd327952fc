// What the body of a loop declares is in scope in its continuing part: values,
// variables, pointers, arrays that are indexed at run time; also from nested loops.
// run: groups 1, out b = [150, 111, 6, 31, 36, 1095]

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn values() -> i32 {
  var i = 0;
  var sum = 0;
  loop {
    let twice = i * 2;
    let both = vec2i(twice, i);
    if i == 1 { continue; }
    if i > 5 { break; }
    sum += 1;
    continuing {
      i++;
      sum += twice + both.x - both.y;
    }
  }
  return sum * 3;
}

fn variables() -> i32 {
  var total = 0;
  var i = 0;
  loop {
    var here = 10 * i;
    if i == 0 { here = 1; continue; }
    here += 1;
    continuing {
      total += here;
      i++;
      here = -1;
      break if i > 4;
    }
  }
  return total + 6;
}

fn pointers() -> i32 {
  var a = array(1, 2, 3);
  var i = 0;
  loop {
    let p = &a[i];
    let q = p;
    *p *= 2;
    continuing {
      *q -= 1;
      i++;
      break if i == 3;
    }
  }
  return a[0] + a[1] + a[2] - 3;
}

fn arrays() -> i32 {
  var sum = 0;
  var i = 0;
  loop {
    let a = array(i, i + 1, i + 2, i + 3, i + 4, i + 5);
    continuing {
      sum += a[i % 6];
      i++;
      break if i == 6 || sum > 20;
    }
  }
  return sum + 1;
}

fn nested() -> i32 {
  var sum = 0;
  var i = 0;
  loop {
    let base = i * 10;
    continuing {
      var k = 0;
      loop {
        let step = k + 1;
        if k == 3 { break; }
        continuing {
          sum += step + base / 10;
          k = step;
        }
      }
      i++;
      break if i == 3;
    }
  }
  return sum + 9;
}

fn helper(x : ptr<function, i32>, y : i32) -> i32 {
  var n = 0;
  loop {
    let z = *x;
    continuing {
      n += z + y;
      *x += 1;
      break if n > 1000;
    }
  }
  return n;
}

fn calls() -> i32 {
  var r = 0;
  loop {
    var x = 5;
    let y = 100;
    continuing {
      r = helper(&x, y);
      r -= x * 0;
      break if true;
    }
  }
  return r;
}

@compute @workgroup_size(1)
fn main() {
  b[0] = values();
  b[1] = variables();
  b[2] = pointers();
  b[3] = arrays();
  b[4] = nested();
  b[5] = calls();
}
