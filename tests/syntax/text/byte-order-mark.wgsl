// error unknown_character@1: byte order mark
const a = 1;
