// A return that comes last leaves no trace; returns from ifs become an IF with
// results; those from loops leave a BLOCK.
@group(0) @binding(0) var<storage, read_write> b : array<i32>;

fn last(x : i32) -> i32 { return x + 1; }
fn tree(x : i32) -> i32 { if x < 0 { return 0; } return x; }
fn anywhere(x : i32) -> i32 { loop { if x == b[0] { return 1; } break; } return 2; }

@compute @workgroup_size(1)
fn main() {
  b[1] = last(b[2]);
  b[3] = tree(b[4]);
  b[5] = anywhere(b[6]);
}
