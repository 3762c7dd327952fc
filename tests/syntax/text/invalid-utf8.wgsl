// error-next-line invalid_utf8@11: byte 0xC3
const a = Ã(;
