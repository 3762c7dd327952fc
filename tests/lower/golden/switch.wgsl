// The default is the last region, wherever it stands in the text.
@group(0) @binding(0) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(1)
fn main() {
  switch b[0] {
    case 1, 2: { b[1] = 1; }
    default: { b[1] = 2; }
    case 3: { if b[2] == 0 { break; } b[1] = 3; }
  }
}
