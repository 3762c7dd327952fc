// Inner declarations hide outer ones, and user declarations predeclared names.
const x = 1;
fn min() -> u32 { return 0; }
const rgba8unorm = 12;
alias vec3f = vec2<f32>;
const two : vec3f = vec2f(1, 2);
fn uses() -> u32 { return min(); }

fn parameter(x : f32) -> f32 { return x; }
fn same_as_function(same_as_function : i32) -> i32 { return same_as_function; }

fn nested() -> f32 {
  let x = x + 1;                 // the module's x, then a new one
  var sum = f32(x);
  {
    let x = 2.5;
    sum += x;
    {
      let x = vec2f(x);
      sum += x.y;
    }
  }
  if true { let sum = 1; _ = sum; } else { let sum = 2u; _ = sum; }
  for (var x = 0; x < 3; x++) { sum += f32(x); }
  loop {
    let y = 1.0;
    if sum > 3 { break; }
    continuing {
      let y = y + 1;
      sum += y;
    }
  }
  switch x {
    case 1 { let z = 1; _ = z; }
    default { let z = 1u; _ = z; }
  }
  return sum;
}
