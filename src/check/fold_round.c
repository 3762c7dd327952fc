// SPDX-License-Identifier: Apache-2.0
/*
 * fold_round.c - rounding of doubles to the narrower floats of WGSL, and the bits
 * of these.
 *
 * in     doubles
 * out    the nearest value of the type, ties to even; subnormals are kept (WGSL
 *        lets an implementation flush them, and so allows not to)
 */
#include <math.h>

#include "check/fold_priv.h"

#define F16_FRACTION_BITS 10
#define F16_MIN_EXPONENT  (-14)
#define F16_BIAS          15
#define F16_MAX           65504.0

double fold_round_f16(double x)
{
    if (!isfinite(x) || x == 0)
        return x;
    int exponent;
    frexp(x, &exponent);                /* |x| = m * 2^exponent, m in [0.5, 1) */
    exponent = MAX_OF(exponent - 1, F16_MIN_EXPONENT) - F16_FRACTION_BITS;
    /* In units of the last place |x| is below 2^11: exact, as is scaling back. */
    double rounded = ldexp(rint(ldexp(x, -exponent)), exponent);
    if (fabs(rounded) > F16_MAX)
        return copysign(INFINITY, x);
    return copysign(rounded, x);        /* -0.0 for small negative x */
}

double fold_round_f32(double x)
{
    /* Half a last place above the largest f32: from there on it is infinite; C
     * leaves the conversion of larger numbers undefined. */
    static const double too_large = 0x1.ffffffp127;
    if (isnan(x) || isinf(x))
        return x;
    if (fabs(x) >= too_large)
        return copysign(INFINITY, x);
    return (double)(float)x;
}

/*
 * Why operations may be done in double and then rounded once more. Let p be the
 * digits of the narrow type: 24 for f32, 11 for f16. A double has 53 >= 2p + 2
 * digits, and then rounding the exact result of +, -, *, / or sqrt to double first
 * cannot change what it rounds to in the narrow type:
 *   - x * y has at most 2p digits: it is exact in double.
 *   - x + y that is not exact in double has one operand below 2^(p - 53) of the
 *     other: far below a quarter of the last digit of the larger, which therefore
 *     is the result either way.
 *   - x / y and sqrt(x) either are a number of p + 1 digits, or differ from any
 *     such number by more than one part in 2^(2p + 1): the first rounding moves
 *     them by less and cannot put them on a midpoint between narrow values.
 * A subnormal result has fewer digits, which only widens the distances; sums in
 * that range are exact. The exponents of double reach far beyond those of all
 * products and quotients.
 */
double fold_round(const Type *t, double x)
{
    switch (t->kind) {
    case TYPE_F32:            return fold_round_f32(x);
    case TYPE_F16:            return fold_round_f16(x);
    case TYPE_ABSTRACT_FLOAT:
    case TYPE_F64:            return x;
    default:                  BUG("rounding to a type that is not a float");
    }
}

double fold_step(Steps *s, double x)
{
    double rounded = fold_round(s->type, x);
    if (!isfinite(rounded))
        s->overflowed = true;
    return rounded;
}

/* ---- bits ---- */

uint16_t fold_f16_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    double magnitude = fabs(x);
    if (magnitude < ldexp(1, F16_MIN_EXPONENT))     /* subnormal, zero */
        return (uint16_t)(sign | (uint16_t)ldexp(magnitude, F16_BIAS - 1 + F16_FRACTION_BITS));
    int exponent;
    double m = frexp(magnitude, &exponent);         /* in [0.5, 1) */
    uint16_t fraction = (uint16_t)((m * 2 - 1) * (1 << F16_FRACTION_BITS));
    uint16_t biased = (uint16_t)(exponent - 1 + F16_BIAS);
    return (uint16_t)(sign | (uint16_t)(biased << F16_FRACTION_BITS) | fraction);
}

double fold_f16_from_bits(uint16_t bits)
{
    int biased = bits >> F16_FRACTION_BITS & 0x1f;
    int fraction = bits & 0x3ff;
    double x;
    if (biased == 0x1f)
        x = fraction ? (double)NAN : (double)INFINITY;
    else if (biased == 0)
        x = ldexp(fraction, F16_MIN_EXPONENT - F16_FRACTION_BITS);
    else
        x = ldexp(fraction + (1 << F16_FRACTION_BITS), biased - F16_BIAS - F16_FRACTION_BITS);
    return bits & 0x8000 ? -x : x;
}

uint32_t fold_f32_bits(double x)
{
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

double fold_f32_from_bits(uint32_t bits)
{
    float narrow;
    memcpy(&narrow, &bits, sizeof bits);
    return (double)narrow;
}
