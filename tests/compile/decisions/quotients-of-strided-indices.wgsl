// Lanes that are c words apart divided by c are one apart, wherever they start; the remainder
// is one number for all. Not if c does not divide the distance, or the numbers may wrap.
// weft compile --dump=facts --lanes=8 --entry=even
// has: udiv affine stride 1 
// has: udiv affine stride 2 
// has: urem group
// lacks: varying stride
// weft compile --dump=facts --lanes=8 --entry=odd
// has: udiv varying
// lacks: udiv affine
// weft compile --dump=facts --lanes=8 --entry=wraps
// has: udiv varying
// lacks: udiv affine
@group(0) @binding(0) var<storage, read_write> y : array<u32>;
@group(0) @binding(1) var<uniform> any : u32;

@compute @workgroup_size(64)
fn even(@builtin(global_invocation_id) id : vec3u) {
  let x = id.x * 12 + (any & 1023);
  y[id.x] = x / 12 + x / 6 + x % 12;
}

@compute @workgroup_size(64)
fn odd(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = (id.x * 12 + 7) / 5;
}

@compute @workgroup_size(64)
fn wraps(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = (id.x * 12 + any) / 12;
}
