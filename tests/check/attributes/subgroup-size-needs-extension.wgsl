enable subgroups;
@compute @workgroup_size(4) @subgroup_size(4) fn f() {}  // error extension_not_enabled@29: '@subgroup_size' needs 'enable subgroup_size_control;'
