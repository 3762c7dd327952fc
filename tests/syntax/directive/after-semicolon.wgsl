;
enable f16;                                // error misplaced_directive@1: 'enable' must come before all declarations
