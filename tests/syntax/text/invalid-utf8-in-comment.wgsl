const a = 1;
// error-next-line invalid_utf8@4: byte 0xED
// í €
