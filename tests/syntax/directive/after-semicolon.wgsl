;
enable f16;                                // error misplaced_directive@1: 'enable' must stand before all declarations
