// The right side of && and || is not evaluated if the left side decides: what
// would be an error in its value is none. Its types must still be right, and
// sizes in its types are evaluated.
const a = false && (1 / 0 == 0);
const b = true || (10i < i32(5 * 1000 * 1000 * 1000));
const c = false && array<u32, 1 + 2>(0, 1, 2)[0] == 0;
const d = false && (true || 1 % 0 == 1);
const e = false && select(1, 2, 1 / 0 > 0) > 0;
const_assert !a && b && !c && !d && !e;

const f = true && (1 / 0 == 0);          // error division_by_zero:
const g = false || (1 % 0 == 0);         // error division_by_zero:
const h = false && 1;                    // error operand_type: must be 'bool'
const i = false && array<u32, 1 / 0>()[0] == 0;  // error division_by_zero:
