// Diagnostic filters: severities, rules, conflicts.
diagnostic(off, derivative_uniformity);
diagnostic(error, derivative_uniformity);     // error conflicting_filters: 'derivative_uniformity'
diagnostic(loud, subgroup_uniformity);        // error unknown_severity: 'loud' is not a severity
diagnostic(off, uniformity);                  // warning unknown_rule: there is no diagnostic rule 'uniformity'
diagnostic(off, vendor.rule);
diagnostic(info, vendor.rule);                // error conflicting_filters: 'vendor.rule'
diagnostic(info, vendor.other);

@diagnostic(off, derivative_uniformity)
@diagnostic(off, derivative_uniformity)       // error duplicate_attribute: 'derivative_uniformity'
fn twice() {}

@diagnostic(off, derivative_uniformity)
@diagnostic(info, derivative_uniformity)      // error conflicting_filters: 'derivative_uniformity'
fn differ() {}

fn inside(c : bool) {
  @diagnostic(off, derivative_uniformity) if c
    @diagnostic(info, derivative_uniformity) {}
  if c @diagnostic(off, derivative_uniformity) @diagnostic(info, derivative_uniformity) {} // error conflicting_filters@48: 'derivative_uniformity'
  @diagnostic(never, derivative_uniformity) {}  // error unknown_severity: 'never'
  switch 1 @diagnostic(off, nothing) { default {} }   // warning unknown_rule: 'nothing'
}
