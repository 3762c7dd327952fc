// SPDX-License-Identifier: Apache-2.0
/*
 * f64_exp.c - exponentials and hyperbolic functions of f64.
 *
 * in     any number
 * out    at most 2 ulp from the exact result
 */
#include "opt/f64_priv.h"

#include <math.h>

#define LOG2_E   0x1.71547652b82fep0
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW  0x1.abc9e3b39803fp-56

/* Results beyond these are infinite or zero. */
#define EXP_MOST   710.0
#define EXP_LEAST  (-746.0)
#define EXP2_MOST  1025.0
#define EXP2_LEAST (-1080.0)

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^-52, of e^r 2^-56 */
static const double exp_c[] = {
    0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d37p-5,
    0x1.11111111109a6p-7, 0x1.6c16c1789d1d7p-10, 0x1.a01a01a7cebcdp-13,
    0x1.a019b8ca26fcfp-16, 0x1.71de0d85293b8p-19, 0x1.2891d4ffbb0f9p-22,
    0x1.af390ba7e6f47p-26,
};

/* The same; error 2^-58, of e^r 2^-62 */
static const double exp_long_c[] = {
    0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100bep-7,
    0x1.6c16c16c162c3p-10, 0x1.a01a01abf85abp-13, 0x1.a01a01a6e1e2ap-16,
    0x1.71de01fdbf9cap-19, 0x1.27e4db46cddd1p-22, 0x1.af4e554377204p-26,
    0x1.1f7340dbc337ep-29,
};

/* (2^r - 1) / r for |r| <= 1/2; error 2^-55.9 */
static const double exp2_c[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5,
    0x1.3b2ab6fba1ddap-7, 0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13,
    0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20, 0x1.b524fae627834p-24,
    0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32,
};

/* (sinh(x) - x) / x^3 for |x| <= 1, in x^2; error of sinh(x) 2^-56.6 */
static const double sinh_c[] = {
    0x1.5555555555556p-3, 0x1.11111111110a7p-7, 0x1.a01a01a0287e2p-13, 0x1.71de3a466dceap-19,
    0x1.ae64670e08df9p-26, 0x1.611a5aae098d2p-33, 0x1.b4c617c72e972p-41,
};

/* ---- exponentials ---- */

Inst *f64_exp(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    x = f64_clamp(f, x, EXP_LEAST, EXP_MOST);
    Inst *n = f64_rounded(f, f64_rounder(f, x, LOG2_E));
    Inst *r = f64_fmak(f, n, -LN2_LOW, f64_minus_product(f, x, n, LN2_HIGH));
    Inst *p = f64_fma(f, f64_mul(f, r, r), f64_poly(f, r, exp_c, COUNTOF(exp_c)), r);
    return f64_scale(f, f64_addk(f, p, 1), n);
}

Inst *f64_exp2(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    x = f64_clamp(f, x, EXP2_LEAST, EXP2_MOST);
    Inst *n = f64_rounded(f, f64_rounder(f, x, 1));
    Inst *r = f64_sub(f, x, n);
    Inst *q = f64_poly(f, r, exp2_c, COUNTOF(exp2_c));
    return f64_scale(f, f64_fma(f, q, r, f64_k(f, 1)), n);
}

F64Pair f64_exp_pair(F64 *f, F64Pair x, Inst **n)
{
    *n = f64_rounded(f, f64_rounder(f, x.high, LOG2_E));
    Inst *low = f64_mulk(f, *n, -LN2_LOW);
    if (x.low)
        low = f64_add(f, low, x.low);
    F64Pair r = f64_sum2(f, f64_minus_product(f, x.high, *n, LN2_HIGH), low);
    Inst *q = f64_poly(f, r.high, exp_long_c, COUNTOF(exp_long_c));
    Inst *p = f64_fma(f, f64_mul(f, r.high, r.high), q, r.low);
    F64Pair s = f64_sum2_ordered(f, f64_k(f, 1), r.high);
    return f64_sum2_ordered(f, s.high, f64_add(f, s.low, p));
}

/* ---- hyperbolic functions ---- */

#define SINH_NEAR 1.0                   /* below it sinh is a polynomial          */
#define HYPER_END 710.7                 /* where sinh and cosh are infinite       */
#define TANH_END  22.0                  /* beyond it tanh is 1                    */

/* A quarter of e^x - 1, so that nothing overflows too early, of an x that is not negative;
 * with `one` of e^x. */
static F64Pair quarter(F64 *f, Inst *x, bool one)
{
    Inst *n = f64_rounded(f, f64_rounder(f, x, LOG2_E));
    Inst *first = f64_minus_product(f, x, n, LN2_HIGH);
    F64Pair r = f64_sum2_ordered(f, first, f64_mulk(f, n, -LN2_LOW));
    Inst *p = f64_poly(f, r.high, exp_c, COUNTOF(exp_c));
    Inst *more = f64_fma(f, f64_mul(f, r.high, r.high), p, r.low);
    Inst *s = f64_power(f, f64_addk(f, n, -2));
    F64Pair t = f64_sum2_ordered(f, one ? s : f64_addk(f, s, -0.25), f64_mul(f, s, r.high));
    return f64_sum2_ordered(f, t.high, f64_fma(f, s, more, t.low));
}

/* With t = e^x - 1: (t + t / (t + 1)) / 2. Near 0 both terms have errors of t, which add up;
 * there it is x + x^3 P(x^2), whose second term is small. */
Inst *f64_sinh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *a = f64_abs(f, x);
    Inst *t = quarter(f, f64_clamp(f, a, 0, HYPER_END), false).high;
    Inst *down = f64_div(f, t, f64_fmak(f, t, 4, f64_k(f, 1)));
    Inst *far = f64_mulk(f, f64_add(f, t, down), 2);
    Inst *square = f64_mul(f, a, a);
    Inst *p = f64_poly(f, square, sinh_c, COUNTOF(sinh_c));
    Inst *near = f64_fma(f, f64_mul(f, a, square), p, a);
    return f64_with_sign(f, f64_choose(f, f64_below(f, a, SINH_NEAR), near, far), x);
}

Inst *f64_cosh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *t = quarter(f, f64_clamp(f, f64_abs(f, x), 0, HYPER_END), true).high;
    Inst *down = f64_div(f, f64_k(f, 0.0625), t);
    return f64_mulk(f, f64_add(f, t, down), 2);
}

/* With t = e^2x - 1: t / (t + 2). */
Inst *f64_tanh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *a = f64_clamp(f, f64_abs(f, x), 0, TANH_END);
    F64Pair t = quarter(f, f64_add(f, a, a), false);
    F64Pair by = f64_sum2_ordered(f, f64_k(f, 0.5), t.high);
    by.low = f64_add(f, by.low, t.low);
    return f64_with_sign(f, f64_quotient(f, t, by), x);
}
