// Lesser severities do not make a module wrong.
diagnostic(info, derivative_uniformity);
diagnostic(warning, subgroup_uniformity);
enable subgroups;

fn collective() -> f32 {
  return dpdx(1.0);        // info derivative_uniformity: 'dpdx'
}
@fragment
fn main(@builtin(position) at : vec4f) {
  if at.x > 1 {
    _ = subgroupAny(true); // warning subgroup_uniformity: 'subgroupAny'
    _ = collective();
  }
}
