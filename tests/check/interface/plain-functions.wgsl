// Only entry points have inputs and outputs.
fn a(@location(0) x : f32) {}                      // error misplaced_attribute@6: 'a' is not an entry point, so its parameter has no attributes
fn b() -> @builtin(position) vec4<f32> { return vec4<f32>(); }  // error misplaced_attribute@11: so its result has no attributes
