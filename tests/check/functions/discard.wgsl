// discard belongs to fragment shaders, through calls as well.
fn kill(b : bool) {
  if b { discard; }           // error wrong_stage: 'discard' cannot be used in a compute shader
}
fn between(b : bool) { kill(b); }
fn never_called() { discard; }
@fragment fn frag() { discard; between(true); }
@compute @workgroup_size(1) fn comp() { between(false); }
@vertex fn vert() -> @builtin(position) vec4f {
  discard;                    // error wrong_stage: 'discard' cannot be used in a vertex shader
  return vec4f();
}
