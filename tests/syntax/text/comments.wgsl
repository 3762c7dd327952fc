// A comment at the end of a line: /* not open
/* A block comment, /* with another /**/ one */ in it. // not the end */
const a /* between */ = 1 /* /**/ */; /**/
/* // */ const b = 2;
/*/ still open */ const c = 4 / /* */ 2;
const_assert a + b * c == 5; // at the end of the text