/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound.c - formats of numbers, and how accurate WGSL 15.7.4 asks functions to be.
 *
 * Where the accuracy is inherited from an expression, the bound here is no larger
 * than what the errors inside that expression add up to.
 */
#include "bound.h"

#include <float.h>
#include <math.h>

const Format f32 = {"f32", 24, -149, FLT_MAX, FLT_MIN};
const Format f16 = {"f16", 11, -24, 65504, 0x1p-14};

/* The distance of neighbours at x. */
double ulp_at(double x, const Format *f)
{
    int e = -2000;
    if (x != 0)
        frexp(x, &e);
    return ldexp(1, e - f->bits < f->least ? f->least : e - f->bits);
}

double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double x = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -x : x;
}

uint16_t half_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    double unit = ulp_at(x, &f16), n = nearbyint(fabs(x) / unit);
    if (n * unit > f16.max)
        return sign | 0x7c00;
    int e = 0;
    while (e < 30 && half_value((uint16_t)(e << 10)) < n * unit)
        e++;
    for (; e >= 0; e--) {
        double from = half_value((uint16_t)(e << 10));
        if (from <= n * unit)
            return sign | (uint16_t)((e << 10) + (int)((n * unit - from) / ulp_at(from, &f16)));
    }
    return sign;
}

/* ---- what WGSL allows ---- */

#define BOUND(name) double name(double x, double y, double r, const Format *f)
#define UNUSED      (void)x, (void)y, (void)r, (void)f
#define NOT_ASKED   1e300

static double ulps(double n, double r, const Format *f)
{
    return n * ulp_at(r, f);
}

BOUND(bound_exp)
{
    UNUSED;
    return ulps((f == &f32 ? 3 : 1) + 2 * fabs(x), r, f);
}

BOUND(bound_log)
{
    UNUSED;
    if (x >= 0.5 && x <= 2)
        return ldexp(1, f == &f32 ? -21 : -7);
    return ulps(3, r, f);
}

BOUND(bound_sin)
{
    UNUSED;
    if (fabs(x) > 3.1415927410125732)
        return NOT_ASKED;
    return ldexp(1, f == &f32 ? -11 : -7);
}

BOUND(bound_two_ulp)
{
    UNUSED;
    return ulps(2, r, f);
}

BOUND(bound_rounded)
{
    UNUSED;
    return ulps(1, r, f);
}

BOUND(bound_exact)
{
    UNUSED;
    return 0;
}

/* exp2(y * log2(x)): the error of log2, y times, rounded, and that of exp2. */
BOUND(bound_pow)
{
    if (y == 0)
        return 0;
    double l = log2(x), z = y * l;
    double in_z = fabs(y) * bound_log(x, 0, l, f) + ulps(1, z, f);
    return r * expm1(in_z * 0.6931471805599453) + bound_exp(z, 0, r, f);
}

/* sin(x) / cos(x) */
BOUND(bound_tan)
{
    double each = bound_sin(x, y, r, f), c = fabs(cos(x));
    return each == NOT_ASKED || c <= each ? NOT_ASKED : (1 + fabs(r)) * each / c;
}

/* The others ask for much less of asin and acos: this is the better of two. */
BOUND(bound_asin)
{
    UNUSED;
    return f == &f32 ? 6.77e-5 : 3.91e-3;
}

BOUND(bound_atan)
{
    UNUSED;
    return ulps(f == &f32 ? 4096 : 5, r, f);
}

/* For x neither tiny nor huge, and y normal; the operands are (y, x). */
BOUND(bound_atan2)
{
    double end = f == &f32 ? 0x1p126 : 0x1p14;
    if (!(fabs(y) >= 1 / end && fabs(y) <= end && fabs(x) >= f->normal && fabs(x) <= f->max))
        return NOT_ASKED;
    return bound_atan(x, y, r, f);
}

/* (exp(x) -+ exp(-x)) / 2 */
BOUND(bound_sinh)
{
    UNUSED;
    return (bound_exp(x, 0, exp(x), f) + bound_exp(x, 0, exp(-x), f)) / 2;
}

BOUND(bound_tanh)
{
    UNUSED;
    return 1e-5 + (f == &f16 ? ulps(2, r, f) : 0);
}

/* log(z) for a z that is rounded once at least. */
static double bound_log_of(double z, const Format *f)
{
    return bound_log(z, 0, log(z), f) + ulps(0.5, z, f) / z;
}

BOUND(bound_asinh)
{
    UNUSED;
    return bound_log_of(exp(fabs(r)), f);
}

BOUND(bound_acosh)
{
    UNUSED;
    return bound_log_of(exp(r), f);
}

BOUND(bound_atanh)
{
    UNUSED;
    return bound_log_of(exp(2 * fabs(r)), f) / 2;
}
