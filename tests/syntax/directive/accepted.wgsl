enable f16;
enable f16, subgroups;
enable f16,subgroups,;
requires pointer_composite_access;
requires pointer_composite_access, unrestricted_pointer_parameters,;
diagnostic(off, derivative_uniformity);
diagnostic ( off , subgroup_uniformity , ) ;
const a = 1h;
