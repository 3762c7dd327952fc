enable f32;                       // error unknown_extension: there is no extension 'f32'
enable f16, wide_floats;          // error unknown_extension@13: 'wide_floats'
enable f64;                       // error unknown_extension: is 'weft_f64' meant?
enable naga_ext_f64;              // error unknown_extension: is 'weft_f64' meant?
enable subgroup;                  // error unknown_extension: is 'subgroups' meant?
requires everything;              // error unknown_feature: there is no language feature 'everything'
requires f16;                     // error unknown_feature: no language feature 'f16'; it is an extension: 'enable f16;'
