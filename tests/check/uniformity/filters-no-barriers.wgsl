// Barriers cannot be filtered.
diagnostic(off, derivative_uniformity);
diagnostic(off, subgroup_uniformity);
enable subgroups;
var<private> own : u32;
var<workgroup> wide : array<u32, 4>;

@diagnostic(off, derivative_uniformity) @diagnostic(off, subgroup_uniformity)
fn barriers() {
  if own > 1 {
    workgroupBarrier();    // error workgroup_uniformity:
    _ = subgroupElect();
    _ = subgroupShuffleUp(1, own);
  }
  _ = workgroupUniformLoad(&wide[own]);  // error workgroup_uniformity:
}
