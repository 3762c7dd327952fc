// Sums of products fill the registers with several workgroups at once, also if the lengths of
// rows are read from a buffer; not if the loop computes something else from it in each lane.
// weft compile --dump=band --entry=product --cpu=x86-64-v4 --assume=inner
// has: ^kernel "product" .* band 3
// weft compile --dump=band --entry=differ --cpu=x86-64-v4 --assume=inner
// lacks: ^kernel .* band
struct Size { rows : u32, columns : u32, inner : u32 }
@group(0) @binding(0) var<uniform> n : Size;
@group(0) @binding(1) var<storage> a : array<f32>;
@group(0) @binding(2) var<storage> b : array<f32>;
@group(0) @binding(3) var<storage, read_write> c : array<f32>;

@compute @workgroup_size(32, 8)
fn product(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < n.inner; k++) { sum += a[id.y * n.inner + k] * b[k * n.columns + id.x]; }
  c[id.y * n.columns + id.x] = sum;
}

@compute @workgroup_size(32, 8)
fn differ(@builtin(global_invocation_id) id : vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < n.inner; k++) {
    sum += abs(a[id.y * n.inner + k] - b[k * n.columns + id.x]);
  }
  c[id.y * n.columns + id.x] = sum;
}
