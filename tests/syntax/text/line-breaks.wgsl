// A comment ends at every line breakconst a = 1; // so const b = 2; // that const c = 3; // allconst d = 4; // ofconst e = 5; // theseconst f = 6;
const_assert a + b + c + d + e + f == 21;
