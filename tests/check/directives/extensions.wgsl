enable f32;                       // error unknown_extension: there is no extension 'f32'
enable f16, wide_floats;          // error unknown_extension@13: 'wide_floats'
requires everything;              // error unknown_feature: there is no language feature 'everything'
requires f16;                     // error unknown_feature: 'f16'
