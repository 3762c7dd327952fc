// Names are the same only if their code points are: no normalisation.
const é = 1;
const é = 2;
const_assert é + é == 3;
