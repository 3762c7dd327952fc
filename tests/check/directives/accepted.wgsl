// Directives, some of them twice.
enable f16, subgroups,;
enable f16;
requires pointer_composite_access;
requires unrestricted_pointer_parameters, packed_4x8_integer_dot_product;
diagnostic(off, derivative_uniformity);
diagnostic(off, derivative_uniformity);
diagnostic(warning, subgroup_uniformity);
diagnostic(info, vendor.rule);
var<private> h : f16 = 1h;
