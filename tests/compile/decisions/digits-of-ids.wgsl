// A global id divided by the size of the workgroup is the workgroup's id, and its remainder
// the local one. Not by another number, and not if the sum may wrap.
// weft compile --dump=trim --entry=digits
// lacks: udiv
// lacks: urem
// weft compile --dump=facts --lanes=8 --entry=bits
// lacks: shr|and
// weft compile --dump=trim --entry=others
// count 1: udiv
// count 1: urem
// weft compile --dump=trim --entry=wraps
// count 1: udiv
@group(0) @binding(0) var<storage, read_write> y : array<u32>;
@group(0) @binding(1) var<uniform> any : u32;

@compute @workgroup_size(96)
fn digits(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = id.x / 96 * 7 + id.x % 96;
}

@compute @workgroup_size(64)
fn bits(@builtin(workgroup_id) w : vec3u, @builtin(local_invocation_index) l : u32) {
  let i = (w.x << 6) + l;
  y[i] = (i >> 6) * 7 + (i & 63);
}

@compute @workgroup_size(96)
fn others(@builtin(global_invocation_id) id : vec3u) {
  y[id.x] = id.x / 95 * 7 + id.x % 100;
}

@compute @workgroup_size(96)
fn wraps(@builtin(local_invocation_index) l : u32) {
  y[l] = (any * 96 + l) / 96;
}
