const a = "text";                     // error unknown_character@11: WGSL has no strings
const b = 'c';                        // error unknown_character@11: WGSL has no strings
const c = "open;                      // error unknown_character@11: WGSL has no strings
const d = 1;
