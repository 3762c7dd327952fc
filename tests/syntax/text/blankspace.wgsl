// Every blank separates tokens: tab, LF, VT, FF, CR, CRLF, NEL, LRM, RLM, LS, PS.
const	a
=1;const
b=‎2‏; const c = 3;
