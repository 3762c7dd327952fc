// The right side of && and || is typed, but evaluated only if the left one does
// not decide.
const zero = 0;
const a = false && (1 / zero == 0);
const b = true || (1 / zero == 0);
const c = false && (10i < i32(5 * 1000 * 1000 * 1000));
const d = false && array<u32, 1 + 2>(0, 1, 2)[0] == 0;
const e = false && array(1, 2)[7] == 1;
const f = false && true && (1 / zero == 0);
const g = false && (true || (1 / zero == 0));
const h = true && (1 / zero == 0);                  // error division_by_zero:
const i = false || (1 / zero == 0);                 // error division_by_zero:
const j = (1 / zero == 0) && false;                 // error division_by_zero:
const k = false && (1 / zero);                      // error operand_type: must be 'bool', but this is 'abstract-int'
const l = false && unknown;                         // error unresolved_name: 'unknown'
const m = false && array<i32, 1 / zero>()[0] == 0;  // error division_by_zero:
const n = 1 && false;                               // error operand_type: must be 'bool'
override o = false;
override p = false && o && (1 / zero == 0);
override q = o && (1 / zero == 0);                  // error division_by_zero:
fn runtime(x : bool) -> bool {
  return (false && (x && 1 / zero == 0)) || (true || (x && 1 / zero == 0));
}
fn runtime_left(x : bool) -> bool {
  return x && (1 / zero == 0);                      // error division_by_zero:
}
const_assert !a && b && !c && !d && !e && !f && !g;
