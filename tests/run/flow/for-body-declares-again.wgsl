// The body of a for loop may declare the name of its counter again.
// run: groups 1, out b = [500, 501, 502, 500]
@group(0) @binding(0) var<storage, read_write> b : array<u32, 4>;

@compute @workgroup_size(1)
fn main() {
  var i = 500u;
  b[0] = i;
  for (var i = 0u; i < 2u; i++) {
    let at = i + 1;
    var i = 501u + i;
    b[at] = i;
    i = 7;
  }
  b[3] = i;
}
