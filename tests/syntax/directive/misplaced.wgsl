const a = 1;
enable f16;                                // error misplaced_directive@1: 'enable' must come before all declarations
requires pointer_composite_access;         // error misplaced_directive@1: 'requires' must come before all declarations
diagnostic(off, derivative_uniformity);    // error misplaced_directive@1: 'diagnostic' must come before all declarations
const b = 2;
