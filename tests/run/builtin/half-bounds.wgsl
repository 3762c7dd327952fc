// The least and the greatest of halves, of one for all invocations too.
enable f16;

// run: in a = [-1, 0.25, 2, 20], out b = [0, 0.25, 1, 1], out c = [-1, 0.25, 2, 4],
//      out d = [1, -1, 4]
@group(0) @binding(0) var<storage> a : array<f16>;
@group(0) @binding(1) var<storage, read_write> b : array<f16>;
@group(0) @binding(2) var<storage, read_write> c : array<f16>;
@group(0) @binding(3) var<storage, read_write> d : array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i : u32) {
  b[i] = saturate(a[i]);
  c[i] = clamp(a[i], -2, 4);
  d[0] = saturate(a[3]);
  d[1] = min(a[0], 2);
  d[2] = clamp(a[3], -2, 4);
}
