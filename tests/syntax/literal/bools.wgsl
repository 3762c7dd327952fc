const a = true;
const b = false;
const c = !true || false;
