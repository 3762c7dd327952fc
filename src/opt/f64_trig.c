// SPDX-License-Identifier: Apache-2.0
/*
 * f64_trig.c - sine, cosine and tangent of f64.
 *
 * in     any number
 * out    at most 2 ulp from the exact result; NaN for infinity
 *
 * sin, cos: x = n pi + r with |r| <= pi / 2, n an integer for the sine and an integer and
 * a half for the cosine; the result is sin(r), with the other sign if n is odd.
 * tan: x = n pi / 2 + r with |r| <= pi / 4; the result is tan(r) or -1 / tan(r).
 *
 * All sums are such that -0 stays -0.
 */
#include "opt/f64_priv.h"

#include <math.h>

/* pi = A + B + C. Products of A1, A2 and B with half integers up to 2^23 are exact, and so
 * is the difference of x and the one with A. */
#define PI_A  0x1.921fb54442d18p1
#define PI_A1 0x1.921fb5p1
#define PI_A2 (PI_A - PI_A1)
#define PI_B  0x1.1a62633p-53
#define PI_C  0x1.45c06e0e68948p-85
#define PI_2_HIGH 0x1.921fb54442d18p0
#define PI_2_LOW  0x1.1a62633145c07p-54
#define BY_PI 0x1.45f306dc9c883p-2
#define LARGE 0x1p24                    /* f64_pi.c does what is above            */

/* sin(r) = r + r^3 (c[0] + c[1] r^2 + ...) for |r| <= pi / 2; error 2^-61 */
static const double sin_c[] = {
    -0x1.5555555555555p-3, 0x1.11111111110c8p-7, -0x1.a01a01a014d7bp-13,
    0x1.71de3a52a16p-19, -0x1.ae6454d4ebcc2p-26, 0x1.6123cd2e1804ap-33,
    -0x1.ae43908f176fcp-41, 0x1.88341df1c7f43p-49,
};

/* tan(r) = (r - r^3 a(r^2)) / (1 + r^2 b(r^2)) for |r| <= pi / 4; error 2^-60 */
static const double tan_a[] = {
    0x1.112b2020bea49p-3, -0x1.c0e6472f6bb37p-9, 0x1.2ba765705730ep-16,
};
static const double tan_b[] = {
    -0x1.ddeae565b4a7ap-2, 0x1.a47907d1286dap-6, -0x1.46f3c3ea01554p-12,
    0x1.0b71145cb36d6p-21,
};

/* ---- the nearest multiple ---- */

/* What a number is reduced by: n of `step` pi with n - offset an integer. */
typedef struct Period {
    double step, offset;
} Period;

static const Period sine = {1, 0}, cosine = {1, 0.5}, tangent = {0.5, 0};

typedef struct Reduced {
    Inst *high, *less;                  /* r is the difference                    */
    Inst *sum;                          /* its low word is that of n + offset     */
} Reduced;

/* Where the difference is tiny the first two steps are exact; else the last bits of the third
 * do not matter. */
static Reduced reduce_small(F64 *f, Inst *x, Period p)
{
    const double s = p.step;
    Inst *sum = p.offset == 0 ? f64_rounder(f, x, BY_PI / s)
                              : f64_addk(f, f64_fmak(f, x, BY_PI / s, f64_k(f, p.offset)),
                                         F64_ROUNDER);
    Inst *n = f64_rounded(f, sum);
    if (p.offset != 0)
        n = f64_addk(f, n, -p.offset);
    Inst *first = f->fused ? f64_fmak(f, n, -PI_A * s, x)
                           : f64_fmak(f, n, -PI_A2 * s, f64_fmak(f, n, -PI_A1 * s, x));
    Inst *high = f64_fmak(f, n, -PI_B * s, first);
    Inst *less = f64_fmak(f, n, PI_B * s, f64_sub(f, high, first));
    return (Reduced){high, f64_fmak(f, n, PI_C * s, less), sum};
}

/* By way of quarters of a turn. */
static Reduced reduce_large(F64 *f, Inst *x, Period p)
{
    Inst *n;
    F64Pair r = f64_reduce_large(f, x, &n);
    if (p.offset != 0)
        n = f64_addk(f, n, 2 * p.offset);
    if (p.step == 1) {
        Inst *half = f64_mulk(f, f64_add(f, n, r.high), 0.5);
        Inst *turns = ir_op1(&f->c, IR_ROUND, half);
        F64Pair s = f64_sum2_ordered(f, f64_fmak(f, turns, -2, n), r.high);
        r = (F64Pair){s.high, f64_add(f, s.low, r.low)};
        n = turns;
    }
    r = f64_mul2(f, r, (F64Pair){f64_k(f, PI_2_HIGH), f64_k(f, PI_2_LOW)});
    return (Reduced){r.high, f64_neg(f, r.low), f64_addk(f, n, F64_ROUNDER)};
}

/* The sine needs the low part to round the number, no more. */
static void yield(F64 *f, Reduced v, Period p)
{
    if (p.step == 1)
        v.high = f64_sub(f, v.high, v.less);
    ir_leave(&f->c, IR_YIELD, NULL, p.step == 1 ? 2 : 3, (Inst *[]){v.sum, v.high, v.less});
}

/* Few programs have large numbers: they are looked for, and jumped over. */
static Reduced reduce(F64 *f, Inst *x, Period p)
{
    Reduced v = reduce_small(f, x, p);
    Inst *size = f64_abs(f, x), *large = f64_above(f, size, LARGE);
    Inst *iff = ir_if(&f->c, f64_any(f, large));
    F64 in = *f;
    in.c = (IrCursor){f->c.ir, iff->flow.regions[1], NULL, f->c.span};
    yield(&in, v, p);
    in.c = (IrCursor){f->c.ir, iff->flow.regions[0], NULL, f->c.span};
    Reduced w = reduce_large(&in, x, p);
    large = f64_and(&in, large, f64_below(&in, size, (double)INFINITY));
    v.sum = f64_choose(&in, large, w.sum, v.sum);
    v.high = f64_choose(&in, large, w.high, v.high);
    v.less = f64_choose(&in, large, w.less, v.less);
    yield(&in, v, p);
    Ir *ir = f->c.ir;
    v.sum = ir_result(ir, iff, x->type);
    v.high = ir_result(ir, iff, x->type);
    v.less = p.step == 1 ? NULL : ir_result(ir, iff, x->type);
    return v;
}

static Inst *is_odd(F64 *f, Reduced v)
{
    return f64_has_bit(f, f64_low(f, v.sum), 1);
}

/* ---- sine and cosine ---- */

/* r + r u, where u is as exact as a number can be: of -1/6 the product with -1/8 is exact,
 * and the rest is small. */
static Inst *wave(F64 *f, Reduced v)
{
    Inst *r = v.high, *z = f64_mul(f, r, r);
    Inst *rest = f64_poly(f, z, sin_c + 1, COUNTOF(sin_c) - 1);
    rest = f64_fmak(f, z, sin_c[0] + 0.125, f64_mul(f, f64_mul(f, z, z), rest));
    Inst *s = f64_fma(f, r, f64_fmak(f, z, -0.125, rest), r);
    s = f64_clamp(f, s, -1, 1);         /* rounding may go beyond: asin would be NaN */
    return f64_choose(f, is_odd(f, v), f64_neg(f, s), s);
}

Inst *f64_sin(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    return wave(f, reduce(f, x, sine));
}

Inst *f64_cos(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    return wave(f, reduce(f, x, cosine));
}

/* ---- tangent ---- */

Inst *f64_tan(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Reduced v = reduce(f, x, tangent);
    Inst *r = v.high, *z = f64_mul(f, r, r), *odd = is_odd(f, v);
    Inst *less = f64_fma(f, f64_mul(f, r, z), f64_poly(f, z, tan_a, COUNTOF(tan_a)), v.less);
    F64Pair a = f64_sum2_ordered(f, r, f64_neg(f, less));
    Inst *more = f64_mul(f, z, f64_poly(f, z, tan_b, COUNTOF(tan_b)));
    F64Pair b = f64_sum2_ordered(f, f64_k(f, 1), more);
    F64Pair above = {f64_choose(f, odd, f64_neg(f, b.high), a.high),
                     f64_choose(f, odd, f64_neg(f, b.low), a.low)};
    F64Pair below = {f64_choose(f, odd, a.high, b.high), f64_choose(f, odd, a.low, b.low)};
    return f64_quotient(f, above, below);
}
