// One to three sizes of one type, known before the pipeline runs, at least 1.
override o : u32 = 4;
override i : i32 = 4;
override x : f32 = 4;
const c = 8;
var<private> p : u32;
@compute @workgroup_size(1) fn one() {}
@compute @workgroup_size(8, c, 2u) fn three() {}
@compute @workgroup_size(o, 2 * o, 1) fn sized() {}
@compute @workgroup_size(c + 1, i) fn signed() {}
@compute @workgroup_size(1, 0) fn zero() {}           // error attribute_value@29: must be at least 1, but is 0
@compute @workgroup_size(-1) fn negative() {}         // error attribute_value@26: must be at least 1, but is -1
@compute @workgroup_size(1i, 1u) fn mixed() {}        // error attribute_arguments@30: must have one type: this is 'u32', another is 'i32'
@compute @workgroup_size(o, i) fn mixed_too() {}      // error attribute_arguments@29: this is 'i32', another is 'u32'
@compute @workgroup_size(1.5) fn real() {}            // error attribute_arguments@26: not 'abstract-float'
@compute @workgroup_size(x) fn real_too() {}          // error attribute_arguments@26: not 'f32'
@compute @workgroup_size(p) fn late() {}              // error not_override@26: must be known when the pipeline is made
@compute fn none() {}                                 // error missing_workgroup_size@13: the compute shader 'none' needs '@workgroup_size'
@fragment @workgroup_size(1) fn fragment() {}         // error misplaced_attribute@11: belongs to compute shaders
@workgroup_size(1) fn plain() {}                      // error misplaced_attribute@1: belongs to compute shaders
