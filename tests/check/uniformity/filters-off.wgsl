// Switched off for the module: nothing is said, and callers need nothing.
diagnostic(off, derivative_uniformity);
diagnostic(off, subgroup_uniformity);
enable subgroups;
var<private> own : u32;

fn collective() -> f32 {
  _ = subgroupShuffleXor(1, own);
  return dpdx(1.0);
}
@fragment
fn main(@builtin(position) at : vec4f) {
  if at.x > 1 && subgroupAny(true) {
    _ = collective();
  }
}
