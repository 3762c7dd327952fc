// SPDX-License-Identifier: Apache-2.0
/*
 * f64_arc.c - inverse trigonometric functions of f64.
 *
 * in     any number
 * out    less than 2 ulp from the exact result; NaN where there is none
 */
#include "opt/f64_priv.h"

#include <math.h>

#define PI_4_HIGH  0x1.921fb54442d18p-1
#define PI_4_LOW   0x1.1a62633145c07p-55
#define PI_2_HIGH  0x1.921fb54442d18p0
#define PI_2_LOW   0x1.1a62633145c07p-54
#define PI_34_HIGH 0x1.2d97c7f3321d2p1  /* 3 pi / 4                               */
#define PI_34_LOW  0x1.a79394c9e8a0ap-54
#define PI_HIGH    0x1.921fb54442d18p1
#define PI_LOW     0x1.1a62633145c07p-53

/* (asin(x) - x) / x^3 in x^2, for x from 0 to 1/2; error 2^-53.5, of asin(x) 2^-58 */
static const double asin_c[] = {
    0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
    0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
    0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
    0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
    0x1.d72b2bc8155f8p-6,
};

/* (atan(x) - x) / x^3 in x^2, for x from 0 to 1/2; error 2^-55, of atan(x) 2^-60 */
static const double atan_c[] = {
    -0x1.5555555555555p-2, 0x1.9999999999752p-3, -0x1.24924924795bdp-3,
    0x1.c71c71b8c812bp-4, -0x1.745d1509aaf38p-4, 0x1.3b137a6c3cf74p-4,
    -0x1.110d9c4660e82p-4, 0x1.e19567029d101p-5, -0x1.acd7cae7a596bp-5,
    0x1.796fced9b9c35p-5, -0x1.338e6d8e23660p-5, 0x1.8d2aa116ee200p-6,
    -0x1.1ddad694415b3p-7,
};

/* ---- asin, acos ---- */

/* asin(w), w = |x| up to 1/2, else sqrt((1 - |x|) / 2): `w` and what is to be added. */
typedef struct HalfArc {
    Inst *above;                        /* |x| > 1/2                              */
    Inst *w, *more;
} HalfArc;

static HalfArc half_arc(F64 *f, Inst *x)
{
    Inst *a = f64_abs(f, x), *above = f64_above(f, a, 0.5);
    Inst *half = f64_fmak(f, a, -0.5, f64_k(f, 0.5));
    Inst *w = f64_choose(f, above, f64_sqrt(f, half), a);
    Inst *z = f64_choose(f, above, half, f64_mul(f, a, a));
    Inst *p = f64_poly(f, z, asin_c, COUNTOF(asin_c));
    return (HalfArc){above, w, f64_mul(f, f64_mul(f, w, z), p)};
}

Inst *f64_asin(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    HalfArc h = half_arc(f, x);
    Inst *near = f64_add(f, h.w, h.more);
    F64Pair far = f64_sum2_ordered(f, f64_k(f, PI_2_HIGH), f64_mulk(f, h.w, -2));
    Inst *low = f64_fmak(f, h.more, -2, f64_addk(f, far.low, PI_2_LOW));
    Inst *r = f64_choose(f, h.above, f64_add(f, far.high, low), near);
    return f64_with_sign(f, r, x);
}

Inst *f64_acos(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    HalfArc h = half_arc(f, x);
    Inst *negative = f64_below(f, x, 0);
    Inst *one_side = f64_mulk(f, f64_add(f, h.w, h.more), 2);
    F64Pair back = f64_sum2_ordered(f, f64_k(f, PI_HIGH), f64_mulk(f, h.w, -2));
    Inst *low = f64_fmak(f, h.more, -2, f64_addk(f, back.low, PI_LOW));
    Inst *other_side = f64_add(f, back.high, low);
    Inst *far = f64_choose(f, negative, other_side, one_side);
    Inst *more = f64_choose(f, negative, h.more, f64_neg(f, h.more));
    F64Pair middle = f64_sum2_ordered(f, f64_k(f, PI_2_HIGH), f64_neg(f, x));
    low = f64_add(f, more, f64_addk(f, middle.low, PI_2_LOW));
    return f64_choose(f, h.above, far, f64_add(f, middle.high, low));
}

/* ---- atan, atan2 ---- */

/* atan(y / x) of numbers that are not negative is `base` + t + t^3 p(t^2):
 *   y < x / 2    t = y / x               base = 0
 *   x < y / 2    t = - x / y             base = pi / 2
 *   else         t = (y - x) / (y + x)   base = pi / 4; y - x is exact
 */
#define SIDE_MOST  0x1p1000             /* arguments of atan2 between these need no care */
#define SIDE_LEAST 0x1p-1000

typedef struct Arc {
    Inst *low, *high;                   /* which of the first two                 */
    Inst *t, *more;
} Arc;

static Arc arc_of(F64 *f, Inst *y, Inst *x)
{
    Arc a = {.low = f64_less(f, y, f64_mulk(f, x, 0.5)),
             .high = f64_less(f, x, f64_mulk(f, y, 0.5))};
    Inst *above = f64_choose(f, a.high, f64_neg(f, x), f64_sub(f, y, x));
    Inst *below = f64_choose(f, a.high, y, f64_add(f, y, x));
    a.t = f64_div(f, f64_choose(f, a.low, y, above), f64_choose(f, a.low, x, below));
    Inst *z = f64_mul(f, a.t, a.t);
    a.more = f64_mul(f, f64_mul(f, a.t, z), f64_poly(f, z, atan_c, COUNTOF(atan_c)));
    return a;
}

static Inst *one_of(F64 *f, const Arc *a, double low, double high, double middle)
{
    Inst *other = f64_choose(f, a->high, f64_k(f, high), f64_k(f, middle));
    return f64_choose(f, a->low, f64_k(f, low), other);
}

Inst *f64_atan(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Arc a = arc_of(f, f64_abs(f, x), f64_k(f, 1));
    F64Pair s = f64_sum2_ordered(f, one_of(f, &a, 0, PI_2_HIGH, PI_4_HIGH), a.t);
    Inst *low = f64_add(f, s.low, one_of(f, &a, 0, PI_2_LOW, PI_4_LOW));
    return f64_with_sign(f, f64_add(f, s.high, f64_add(f, low, a.more)), x);
}

/* Both scaled, so that neither is infinite, not both are zero, and their sum is not infinite:
 * their quotient is that of y and x, which are not negative; `most` is the larger one. */
static F64Pair scaled_sides(F64 *f, Inst *y, Inst *x, Inst *most)
{
    double infinity = (double)INFINITY;
    Inst *one = f64_k(f, 1), *zero = f64_k(f, 0);
    Inst *far_y = f64_is(f, y, infinity), *far_x = f64_is(f, x, infinity);
    Inst *far = f64_or(f, far_y, far_x), *none = f64_is(f, most, 0);
    Inst *scale = f64_choose(f, f64_above(f, most, SIDE_MOST), f64_k(f, 0.25), one);
    scale = f64_choose(f, f64_below(f, most, SIDE_LEAST), f64_k(f, 0x1p60), scale);
    Inst *v = f64_choose(f, far_y, one, f64_choose(f, far, zero, f64_mul(f, y, scale)));
    Inst *u = f64_choose(f, far_x, one, f64_choose(f, far, zero, f64_mul(f, x, scale)));
    u = f64_choose(f, none, one, u);
    Inst *nan = f64_or(f, f64_is_nan(f, y), f64_is_nan(f, x));
    return (F64Pair){f64_choose(f, nan, f64_k(f, (double)NAN), v), u};
}

static void yield(F64 *f, F64Pair sides)
{
    ir_leave(&f->c, IR_YIELD, NULL, 2, (Inst *[]){sides.high, sides.low});
}

/* The sizes of y and x, or of numbers with their quotient if one is out of the ordinary; few
 * programs have such. A NaN stays one either way. */
static F64Pair sides_of(F64 *f, Inst *y, Inst *x)
{
    y = f64_abs(f, y);
    x = f64_abs(f, x);
    Inst *most = f64_choose(f, f64_less(f, x, y), y, x);
    Inst *rare = f64_or(f, f64_above(f, most, SIDE_MOST), f64_below(f, most, SIDE_LEAST));
    Inst *iff = ir_if(&f->c, f64_any(f, rare));
    F64 in = *f;
    in.c = (IrCursor){f->c.ir, iff->flow.regions[0], NULL, f->c.span};
    yield(&in, scaled_sides(&in, y, x, most));
    in.c = (IrCursor){f->c.ir, iff->flow.regions[1], NULL, f->c.span};
    yield(&in, (F64Pair){y, x});
    y = ir_result(f->c.ir, iff, x->type);
    x = ir_result(f->c.ir, iff, x->type);
    return (F64Pair){y, x};
}

Inst *f64_atan2(F64 *f, Inst *y, Inst *x)
{
    F64Pair sides = sides_of(f, y, x);
    Arc a = arc_of(f, sides.high, sides.low);
    Inst *back = f64_below(f, f64_with_sign(f, f64_k(f, 1), x), 0);
    Inst *base = f64_choose(f, back, one_of(f, &a, PI_HIGH, PI_2_HIGH, PI_34_HIGH),
                            one_of(f, &a, 0, PI_2_HIGH, PI_4_HIGH));
    Inst *rest = f64_choose(f, back, one_of(f, &a, PI_LOW, PI_2_LOW, PI_34_LOW),
                            one_of(f, &a, 0, PI_2_LOW, PI_4_LOW));
    Inst *t = f64_choose(f, back, f64_neg(f, a.t), a.t);
    Inst *more = f64_choose(f, back, f64_neg(f, a.more), a.more);
    F64Pair s = f64_sum2_ordered(f, base, t);
    Inst *low = f64_add(f, f64_add(f, s.low, rest), more);
    return f64_with_sign(f, f64_add(f, s.high, low), y);
}
