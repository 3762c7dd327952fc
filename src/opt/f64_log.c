// SPDX-License-Identifier: Apache-2.0
/*
 * f64_log.c - logarithms and inverse hyperbolic functions of f64.
 *
 * in     any number; what has no logarithm gives NaN
 * out    at most 2 ulp from the exact result
 *
 * x = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2). With s = f / (2 + f) the logarithm of
 * 1 + f is f - f^2/2 + s (f^2/2 + R), R = s^2 (2/3 + 2/5 s^2 + ...).
 */
#include "opt/f64_priv.h"

#include <math.h>

#define LN2_HIGH 0x1.62e42fefa2000p-1   /* 40 bits: its product with k is exact   */
#define LN2_LOW  0x1.9ef35793c7673p-41
#define LOG2_E   0x1.71547652b82fep0

#define ROOT_TWO 0x1.6a09ep0            /* about                                  */

/* R / s^2 in s^2, for |s| up to 3 - 2 sqrt(2); error 2^-51, of the logarithm 2^-58 */
static const double log_c[] = {
    0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2,
    0x1.c71c62e3f11e6p-3, 0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3,
    0x1.2b5900de53b32p-3,
};

F64Split f64_split(F64 *f, Inst *x)
{
    Inst *tiny = f64_below(f, x, 0x1p-1022);
    x = f64_choose(f, tiny, f64_mulk(f, x, 0x1p54), x);
    Inst *k = ir_op1(&f->c, IR_LOGB, x), *m = ir_op1(&f->c, IR_SIGNIFICAND, x);
    Inst *far = f64_above(f, m, ROOT_TWO);
    k = f64_add(f, k, f64_choose(f, tiny, f64_k(f, -54), f64_k(f, 0)));
    k = f64_choose(f, far, f64_addk(f, k, 1), k);
    m = f64_choose(f, far, f64_mulk(f, m, 0.5), m);
    return (F64Split){.k = k, .f = f64_addk(f, m, -1)};
}

/* Half of f^2, and log(1 + f) - f + half of f^2. */
typedef struct Rest {
    Inst *half, *more;
} Rest;

static Rest rest_of(F64 *f, Inst *x)
{
    Inst *s = f64_div(f, x, f64_addk(f, x, 2));
    Inst *z = f64_mul(f, s, s);
    Inst *r = f64_mul(f, z, f64_poly(f, z, log_c, COUNTOF(log_c)));
    Inst *half = f64_mul(f, f64_mulk(f, x, 0.5), x);
    return (Rest){half, f64_mul(f, s, f64_add(f, half, r))};
}

/* log(2^k (1 + f)) + more */
static Inst *log_sum(F64 *f, F64Split x, Inst *more)
{
    Rest r = rest_of(f, x.f);
    Inst *low = more ? f64_fmak(f, x.k, LN2_LOW, more) : f64_mulk(f, x.k, LN2_LOW);
    Inst *rest = f64_sub(f, r.half, f64_add(f, r.more, low));
    return f64_sub(f, f64_mulk(f, x.k, LN2_HIGH), f64_sub(f, rest, x.f));
}

/* r, but what the logarithms of zero, infinity and negative numbers are. */
static Inst *ends(F64 *f, Inst *x, Inst *r)
{
    r = f64_choose(f, f64_below(f, x, (double)INFINITY), r, x);
    r = f64_choose(f, f64_below(f, x, 0), f64_k(f, (double)NAN), r);
    return f64_choose(f, f64_is(f, x, 0), f64_k(f, -(double)INFINITY), r);
}

Inst *f64_log(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    return ends(f, x, log_sum(f, f64_split(f, x), NULL));
}

Inst *f64_log2(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    F64Split p = f64_split(f, x);
    Rest r = rest_of(f, p.f);
    Inst *l = f64_sub(f, p.f, f64_sub(f, r.half, r.more));
    return ends(f, x, f64_fmak(f, l, LOG2_E, p.k));
}

/* log(1 + x) for a pair above -1, or where `far` is given and true log(2 far_x). */
static Inst *log_one_more(F64 *f, F64Pair x, Inst *far, Inst *far_x)
{
    F64Pair v = f64_sum2(f, f64_k(f, 1), x.high);
    Inst *of = far ? f64_choose(f, far, far_x, v.high) : v.high;
    Inst *lost = f64_div(f, f64_add(f, v.low, x.low), v.high);
    F64Split p = f64_split(f, of);
    if (far) {
        lost = f64_choose(f, far, f64_k(f, 0), lost);
        p.k = f64_choose(f, far, f64_addk(f, p.k, 1), p.k);
    }
    return log_sum(f, p, lost);
}

/* ---- inverse hyperbolic functions ---- */

#define FAR 0x1p28                      /* where log(2 x) is both, but for 2^-57  */

/* log(1 + x + x^2 / (1 + sqrt(1 + x^2))) */
Inst *f64_asinh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *a = f64_abs(f, x);
    Inst *b = f64_clamp(f, a, 0, FAR);
    Inst *square = f64_mul(f, b, b);
    Inst *root = f64_sqrt(f, f64_addk(f, square, 1));
    Inst *q = f64_div(f, square, f64_addk(f, root, 1));
    Inst *r = log_one_more(f, f64_sum2_ordered(f, b, q), f64_above(f, a, FAR), a);
    r = f64_choose(f, f64_below(f, a, (double)INFINITY), r, a);
    return f64_with_sign(f, r, x);
}

/* The square root of a pair. */
static F64Pair root_of(F64 *f, F64Pair x)
{
    Inst *s = f64_sqrt(f, x.high);
    F64Pair p = f64_square2(f, s);
    Inst *lost = f64_add(f, f64_sub(f, f64_sub(f, x.high, p.high), p.low), x.low);
    Inst *low = f64_div(f, lost, f64_add(f, s, s));
    return (F64Pair){s, f64_choose(f, f64_is(f, s, 0), s, low)};
}

/* log(1 + t + sqrt(t (t + 2))), t = x - 1 */
Inst *f64_acosh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *t = f64_addk(f, f64_clamp(f, x, 1, FAR), -1);
    F64Pair two = f64_sum2(f, t, f64_k(f, 2));
    F64Pair p = f64_product2(f, t, two.high);
    F64Pair s = root_of(f, (F64Pair){p.high, f64_fma(f, t, two.low, p.low)});
    F64Pair u = f64_sum2(f, t, s.high);
    Inst *r = log_one_more(f, (F64Pair){u.high, f64_add(f, u.low, s.low)},
                           f64_above(f, x, FAR), x);
    r = f64_choose(f, f64_below(f, x, (double)INFINITY), r, x);
    return f64_choose(f, f64_below(f, x, 1), f64_k(f, (double)NAN), r);
}

/* Half of log(1 + 2 x / (1 - x)). */
Inst *f64_atanh(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Inst *a = f64_abs(f, x), *one = f64_k(f, 1);
    F64Pair by = f64_sum2_ordered(f, one, f64_neg(f, a));
    F64Pair q = f64_quotient2(f, (F64Pair){f64_add(f, a, a), NULL}, by);
    Inst *r = log_one_more(f, f64_sum2_ordered(f, q.high, q.low), NULL, NULL);
    r = f64_mulk(f, r, 0.5);
    r = f64_choose(f, f64_below(f, a, 1), r, f64_k(f, (double)NAN));
    r = f64_choose(f, f64_is(f, a, 1), f64_k(f, (double)INFINITY), r);
    return f64_with_sign(f, r, x);
}
