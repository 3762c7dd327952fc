// SPDX-License-Identifier: Apache-2.0
/*
 * f64_trig.c - sine, cosine and tangent of f64.
 *
 * in     any number
 * out    at most 1 ulp from the exact result; NaN for infinity
 *
 * With r = x - n pi / 2 for the nearest n, the sine is one of sin(r), cos(r), -sin(r) and
 * -cos(r), by n modulo 4. The sine and the cosine of one number share most of the work.
 */
#include "opt/f64_priv.h"

#include <math.h>

#define PI_2_A 0x1.921fb54442d18p0      /* pi / 2 = A + B + C                     */
#define PI_2_B 0x1.1a62633145c07p-54
#define PI_2_C (-0x1.f1976b7ed8fbcp-110)
#define TWO_BY_PI 0x1.45f306dc9c883p-1
#define LARGE  0x1p40                   /* f64_pi.c does what is above            */

/* (sin(r) - r) / r^3 in r^2, for |r| <= pi / 4; error 2^-52.8, of sin(r) 2^-56 */
static const double sin_c[] = {
    -0x1.5555555555555p-3, 0x1.1111111110b97p-7, -0x1.a01a019e7d21ap-13,
    0x1.71de378e148cap-19, -0x1.ae60023696a43p-26, 0x1.5e07f04f301b6p-33,
};

/* (cos(r) - 1 + r^2 / 2) / r^4 in r^2, for |r| <= pi / 4; error 2^-54.8, of cos(r) 2^-61 */
static const double cos_c[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16959p-10, 0x1.a01a019f4b6aap-16,
    -0x1.27e4fa139e45dp-22, 0x1.1eeb64821c697p-29, -0x1.907a78f9a8549p-37,
};

_Static_assert(COUNTOF(sin_c) == COUNTOF(cos_c), "both are evaluated as one");

/* ---- the nearest multiple of pi / 2 ---- */

typedef struct Reduced {
    F64Pair r;
    Inst   *n;                          /* the low word of the multiple           */
} Reduced;

/* x - n A has no more digits than a number has, and n B is known to twice as many. The
 * rest of the difference is that of a number much smaller than it. */
static Reduced reduce_small(F64 *f, Inst *x)
{
    Inst *sum = f64_rounder(f, x, TWO_BY_PI), *n = f64_rounded(f, sum);
    Inst *first = f64_minus_product(f, x, n, PI_2_A);
    F64Pair p = f64_product2(f, n, f64_k(f, PI_2_B));
    F64Pair s = f64_sum2_ordered(f, first, f64_neg(f, p.high));
    Inst *low = f64_fmak(f, n, -PI_2_C, f64_sub(f, s.low, p.low));
    return (Reduced){{s.high, low}, f64_low(f, sum)};
}

static Reduced reduce_large(F64 *f, Inst *x)
{
    Inst *n;
    F64Pair rest = f64_reduce_large(f, x, &n);
    F64Pair r = f64_mul2(f, rest, (F64Pair){f64_k(f, PI_2_A), f64_k(f, PI_2_B)});
    return (Reduced){r, f64_low(f, f64_addk(f, n, F64_ROUNDER))};
}

static Inst *any_of(F64 *f, Inst *test)
{
    return f->width == 1 ? test : ir_op_as(&f->c, IR_ANY, IR_BOOL, 1, &test);
}

static void yield(F64 *f, Reduced v)
{
    ir_leave(&f->c, IR_YIELD, NULL, 3, (Inst *[]){v.r.high, v.r.low, v.n});
}

static bool encloses(const Region *outer, const Region *region)
{
    while (region && region != outer)
        region = region->owner ? region->owner->region : NULL;
    return region != NULL;
}

/* The reduction of a number that an instruction before this one has reduced, or NULL. */
static const F64Reduced *known(const F64 *f, const Inst *x)
{
    const F64Reduced *k = f->reduced[x->id % F64_BUCKETS];
    while (k && !(k->x == x && encloses(k->region, f->c.region)))
        k = k->next;
    return k;
}

static Reduced keep(F64 *f, Inst *x, Reduced v)
{
    F64Reduced **bucket = &f->reduced[x->id % F64_BUCKETS];
    F64Reduced *k = ARENA_NEW(f->c.ir->arena, F64Reduced);
    *k = (F64Reduced){*bucket, x, v.r.high, v.r.low, v.n, f->c.region};
    *bucket = k;
    return v;
}

/* Few programs have such arguments: they are looked for, and jumped over. */
static Reduced reduce(F64 *f, Inst *x)
{
    const F64Reduced *before = known(f, x);
    if (before)
        return (Reduced){{before->high, before->low}, before->n};
    Reduced small = reduce_small(f, x);
    Inst *size = f64_abs(f, x);
    Inst *large = f64_and(f, f64_above(f, size, LARGE), f64_below(f, size, (double)INFINITY));
    Inst *iff = ir_if(&f->c, any_of(f, large));
    F64 in = *f;
    in.c = (IrCursor){f->c.ir, iff->flow.regions[0], NULL, f->c.span};
    Reduced v = reduce_large(&in, x);
    v.r.high = f64_choose(&in, large, v.r.high, small.r.high);
    v.r.low = f64_choose(&in, large, v.r.low, small.r.low);
    v.n = f64_choose(&in, large, v.n, small.n);
    yield(&in, v);
    in.c = (IrCursor){f->c.ir, iff->flow.regions[1], NULL, f->c.span};
    yield(&in, small);
    Ir *ir = f->c.ir;
    Inst *high = ir_result(ir, iff, x->type), *low = ir_result(ir, iff, x->type);
    return keep(f, x, (Reduced){{high, low}, ir_result(ir, iff, small.n->type)});
}

/* ---- sine and cosine ---- */

/* Sine after n quarters of a turn: of two polynomials of the same form it takes the
 * coefficients of one. */
static Inst *wave(F64 *f, F64Pair r, Inst *n)
{
    Inst *odd = f64_has_bit(f, n, 1), *z = f64_mul(f, r.high, r.high), *p = NULL;
    for (uint32_t i = COUNTOF(sin_c); i-- > 0;) {
        Inst *k = f64_choose(f, odd, f64_k(f, cos_c[i]), f64_k(f, sin_c[i]));
        p = p ? f64_fma(f, p, z, k) : k;
    }
    F64Pair c = f64_sum2_ordered(f, f64_k(f, 1), f64_mulk(f, z, -0.5));
    Inst *less = f64_sub(f, c.low, f64_mul(f, r.high, r.low));
    Inst *low = f64_choose(f, odd, less, r.low);
    low = f64_fma(f, f64_mul(f, z, f64_choose(f, odd, z, r.high)), p, low);
    Inst *v = f64_add(f, f64_choose(f, odd, c.high, r.high), low);
    return f64_choose(f, f64_has_bit(f, n, 2), f64_neg(f, v), v);
}

Inst *f64_sin(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Reduced v = reduce(f, x);
    return f64_choose(f, f64_is(f, x, 0), x, wave(f, v.r, v.n));
}

Inst *f64_cos(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Reduced v = reduce(f, x);
    return wave(f, v.r, f64_op2(f, IR_IADD, v.n, f64_int(f, 1)));
}

/* ---- tangent: sine by cosine, or minus the inverse of that ---- */

typedef struct Waves {
    F64Pair sine, cosine;               /* of r                                   */
} Waves;

static Waves waves_of(F64 *f, F64Pair r)
{
    Inst *z = f64_mul(f, r.high, r.high), *one = f64_k(f, 1);
    Inst *p = f64_poly(f, z, sin_c, COUNTOF(sin_c));
    Inst *q = f64_poly(f, z, cos_c, COUNTOF(cos_c));
    Inst *low = f64_fma(f, f64_mul(f, r.high, z), p, r.low);
    F64Pair c = f64_sum2_ordered(f, one, f64_mulk(f, z, -0.5));
    Inst *less = f64_sub(f, c.low, f64_mul(f, r.high, r.low));
    return (Waves){{r.high, low}, {c.high, f64_fma(f, f64_mul(f, z, z), q, less)}};
}

Inst *f64_tan(F64 *f, Inst *x, Inst *unused)
{
    (void)unused;
    Reduced v = reduce(f, x);
    Waves w = waves_of(f, v.r);
    F64Pair s = f64_sum2_ordered(f, w.sine.high, w.sine.low);
    F64Pair c = f64_sum2_ordered(f, w.cosine.high, w.cosine.low);
    Inst *odd = f64_has_bit(f, v.n, 1);
    F64Pair above = {f64_choose(f, odd, c.high, s.high), f64_choose(f, odd, c.low, s.low)};
    F64Pair below = {f64_choose(f, odd, f64_neg(f, s.high), c.high),
                     f64_choose(f, odd, f64_neg(f, s.low), c.low)};
    Inst *t = f64_total(f, f64_quotient2(f, above, below));
    return f64_choose(f, f64_is(f, x, 0), x, t);
}
