// A power of two, for compute shaders.
enable subgroups;
enable subgroup_size_control;
override o : u32 = 3;
@compute @workgroup_size(32) @subgroup_size(32) fn fixed() {}
@compute @workgroup_size(32) @subgroup_size(o) fn later() {}
@compute @workgroup_size(32) @subgroup_size(3) fn three() {}    // error attribute_value@45: must be a power of two, but this is 3
@compute @workgroup_size(32) @subgroup_size(0) fn zero() {}     // error attribute_value@45: must be at least 1
@compute @workgroup_size(32) @subgroup_size(4.0) fn real() {}   // error attribute_arguments@45:
@fragment @subgroup_size(4) fn fragment() {}                    // error misplaced_attribute@11: '@subgroup_size' belongs to compute shaders
