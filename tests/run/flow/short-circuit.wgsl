// The right side of && and || runs only where it decides.
// run: groups 1, out b = [0, 1, 0, 0, 1, 1, 2, 4]

var<private> calls : i32;

@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn touch(r : bool) -> bool {
  calls++;
  return r;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i : u32) {
  let f = i != 0;
  let t = i == 0;
  b[0] = i32(f && touch(true));
  b[1] = i32(t || touch(false));
  b[2] = i32(f && touch(true) && touch(true));
  b[3] = calls;
  b[4] = i32(t && touch(true));
  b[5] = calls;
  b[6] = i32(f || touch(true)) * 2;
  _ = t && (f || touch(false)) && touch(true);
  b[7] = calls + i32(!touch(true) || t);
}
