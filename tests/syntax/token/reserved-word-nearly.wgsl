// One letter more, or another case, and it is a name.
const filters = 1;
const Class = 1;
const selfs = 1;
const nulls = 1;
const _mod = 1;
