// SPDX-License-Identifier: Apache-2.0
/*
 * f64_pow.c - powers of f64.
 *
 * in     any two numbers
 * out    at most 1 ulp from the exact result; of a negative number those powers whose
 *        exponent is a whole number
 *
 * x^y is e^(y log(x)), with a logarithm of about 68 bits: an error in its last digit is
 * multiplied by as much as 745.
 */
#include "opt/f64_priv.h"

#include <math.h>

#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW  0x1.abc9e3b39803fp-56
#define TWO_THIRDS_HIGH 0x1.5555555555555p-1
#define TWO_THIRDS_LOW  0x1.5555555555555p-55
#define EXP_MOST   710.0
#define EXP_LEAST  (-746.0)
#define LARGE      0x1p70               /* exponents above give infinity, 0 or 1  */

/* (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2, for |s| up to 3 - 2 sqrt(2);
 * error 2^-57.6, of the logarithm 2^-70 */
static const double log_c[] = {
    0x1.999999999999ap-2, 0x1.2492492492521p-2, 0x1.c71c71c6eaa10p-3,
    0x1.745d177a96056p-3, 0x1.3b1395d2190c1p-3, 0x1.1118c7e4b0917p-3,
    0x1.df7cc8e5fa539p-4, 0x1.e02e6fff27908p-4,
};

/* log(x), as a pair, of a positive number. */
static F64Pair log_pair(F64 *f, Inst *x)
{
    F64Split p = f64_split(f, x);
    F64Pair by = f64_sum2_ordered(f, f64_k(f, 2), p.f);
    F64Pair s = f64_quotient2(f, (F64Pair){p.f, NULL}, by);
    s = f64_sum2_ordered(f, s.high, s.low);
    F64Pair z = f64_mul2(f, s, s), cube = f64_mul2(f, s, z);
    F64Pair third = f64_mul2(f, cube, (F64Pair){f64_k(f, TWO_THIRDS_HIGH),
                                                f64_k(f, TWO_THIRDS_LOW)});
    Inst *more = f64_mul(f, f64_mul(f, cube.high, z.high),
                         f64_poly(f, z.high, log_c, COUNTOF(log_c)));
    F64Pair whole = f64_product2(f, p.k, f64_k(f, LN2_HIGH));
    whole.low = f64_fmak(f, p.k, LN2_LOW, whole.low);
    F64Pair sum = f64_add2(f, whole, (F64Pair){f64_add(f, s.high, s.high),
                                               f64_add(f, s.low, s.low)});
    return f64_add2(f, sum, (F64Pair){third.high, f64_add(f, third.low, more)});
}

/* e^(y log(x)) of a positive finite x. */
static Inst *power_of(F64 *f, Inst *x, Inst *y)
{
    F64Pair l = log_pair(f, x);
    Inst *by = f64_clamp(f, y, -LARGE, LARGE), *n;
    F64Pair e = f64_product2(f, l.high, by);
    e = f64_sum2_ordered(f, e.high, f64_fma(f, l.low, by, e.low));
    Inst *inside = f64_clamp(f, e.high, EXP_LEAST, EXP_MOST);
    Inst *same = ir_op_as(&f->c, IR_FEQ, (IrType){SCALAR_BOOL, f->width}, 2,
                          (Inst *[]){inside, e.high});
    e = (F64Pair){inside, f64_choose(f, same, e.low, f64_k(f, 0))};
    F64Pair r = f64_exp_pair(f, e, &n);
    return f64_scale(f, r.high, n);
}

static Inst *is_whole(F64 *f, Inst *x)
{
    Inst *whole = ir_op1(&f->c, IR_TRUNC, x);
    return ir_op_as(&f->c, IR_FEQ, (IrType){SCALAR_BOOL, f->width}, 2, (Inst *[]){x, whole});
}

static Inst *negated(F64 *f, Inst *test)
{
    return ir_op1(&f->c, IR_NOT, test);
}

/* The rules of IEEE 754 for zero, infinity and NaN. */
Inst *f64_pow(F64 *f, Inst *x, Inst *y)
{
    Inst *a = f64_abs(f, x), *zero = f64_k(f, 0), *infinite = f64_k(f, (double)INFINITY);
    Inst *r = power_of(f, a, y);
    Inst *up = f64_above(f, y, 0), *down = f64_below(f, y, 0);
    Inst *none = f64_is(f, a, 0), *all = f64_is(f, a, (double)INFINITY);
    r = f64_choose(f, f64_or(f, f64_and(f, none, up), f64_and(f, all, down)), zero, r);
    r = f64_choose(f, f64_or(f, f64_and(f, none, down), f64_and(f, all, up)), infinite, r);
    r = f64_choose(f, f64_is_nan(f, x), x, r);
    Inst *whole = is_whole(f, y), *even = is_whole(f, f64_mulk(f, y, 0.5));
    Inst *odd = f64_and(f, whole, negated(f, even));
    Inst *sign = f64_choose(f, odd, x, zero);
    Inst *wrong = f64_and(f, f64_below(f, x, 0), negated(f, whole));
    wrong = f64_and(f, wrong, negated(f, all));
    r = f64_choose(f, wrong, f64_k(f, (double)NAN), f64_with_sign(f, r, sign));
    return f64_choose(f, f64_or(f, f64_is(f, y, 0), f64_is(f, x, 1)), f64_k(f, 1), r);
}
