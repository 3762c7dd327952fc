// What comes after a loop has registers of its own: it does not change how many lanes or lane
// groups the loop takes, and goes through lane groups in turn. Code without a loop before it, or
// after one of few rounds, goes through them side by side.
// weft compile --dump=facts --entry=product --cpu=x86-64-v4 --assume=inner
// has: ^lanes 32\b
// weft compile --dump=facts --entry=product_and_more --cpu=x86-64-v4 --assume=inner
// has: ^lanes 32\b
// weft compile --dump=facts --entry=more --cpu=x86-64-v4 --assume=inner
// has: ^lanes 16
// weft compile --dump=llvm --entry=after_loop --cpu=x86-64-v4 --assume=inner
// mixed: call .*@llvm.sqrt | nontemporal
// weft compile --dump=llvm --entry=after_short_loop --cpu=x86-64-v4 --assume=inner
// apart: call .*@llvm.sqrt | nontemporal
@group(0) @binding(0) var<storage> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> n : vec4u;

fn polynomial(a : f32) -> f32 {
  var s = a;
  s = s * a + 1.1; s = s * a + 1.2; s = s * a + 1.3; s = s * a + 1.4; s = s * a + 1.5;
  s = s * a + 2.1; s = s * a + 2.2; s = s * a + 2.3; s = s * a + 2.4; s = s * a + 2.5;
  return s;
}

fn sum(row : u32, column : u32) -> f32 {
  var s = 0.0;
  for (var k = 0u; k < n.x; k++) { s += x[row * n.x + k] * x[k * 512 + column]; }
  return s;
}

@compute @workgroup_size(64, 4)
fn product(@builtin(global_invocation_id) id : vec3u) {
  y[id.y * 512 + id.x] = sum(id.y, id.x);
}

@compute @workgroup_size(64, 4)
fn product_and_more(@builtin(global_invocation_id) id : vec3u) {
  let first = polynomial(x[id.x]);
  let s = sum(id.y, id.x);
  y[id.y * 512 + id.x] = first + polynomial(s);
}

@compute @workgroup_size(64, 4)
fn more(@builtin(global_invocation_id) id : vec3u) {
  let s = x[id.x];
  y[id.y * 512 + id.x] = polynomial(s) * polynomial(-s) + polynomial(s + 1);
}

@compute @workgroup_size(256)
fn after_loop(@builtin(global_invocation_id) id : vec3u) {
  var s = 0.0;
  for (var k = 0u; k < n.x; k++) { s += x[k] * x[id.x]; }
  y[id.x] = sqrt(s);
}

@compute @workgroup_size(256)
fn after_short_loop(@builtin(global_invocation_id) id : vec3u) {
  var s = 0.0;
  for (var k = 0u; k < 3; k++) { s += x[k] * x[id.x + k]; }
  y[id.x] = sqrt(s);
}
