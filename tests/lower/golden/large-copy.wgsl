// Large values are copied by a loop, straight from place to place.
@group(0) @binding(0) var<storage> a : array<vec4f, 100>;
@group(0) @binding(1) var<storage, read_write> b : array<vec4f, 100>;

@compute @workgroup_size(1)
fn main() {
  b = a;
}
