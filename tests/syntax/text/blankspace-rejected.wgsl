// Blank to the eye, not to WGSL.
const a = 1;  // error unknown_character@8: U+00A0
const b =　2;  // error unknown_character@10: U+3000
const c = 3;​ // error unknown_character@13: U+200B
const d = 4;
