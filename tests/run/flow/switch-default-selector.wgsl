// `default` as one of the selectors; a switch of nothing but a default.
// run: groups 1, in a = [0, 1, 7, 4294967295], out b = [100, 201, 100, 300]

@group(0) @binding(0) var<storage> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

fn f(x : u32) -> u32 {
  switch x {
    case 7, default { return 100; }
    case 1u: { return 201; }
    case 0xffffffffu: { return 300; }
  }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i : u32) {
  switch i {
    default: {
      b[i] = 1;
      if i < 4 { break; }
      b[i] = 2;
    }
  }
  b[i] = f(a[i]);
}
