const a = 1; // error unknown_character@13: control character U+0001
const b = 2;
