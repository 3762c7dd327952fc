// A function belongs to one stage.
@compute @fragment @workgroup_size(1) fn f() {}  // error conflicting_attributes@10: it has '@compute' already
