// SPDX-License-Identifier: Apache-2.0
/*
 * fold_round.c - rounding of doubles to the narrower floats of WGSL.
 *
 * Rounding is to nearest, ties to even, and keeps subnormals: WGSL lets an
 * implementation flush them, and so allows not to.
 */
#include <math.h>

#include "check/fold.h"

#define F16_FRACTION_BITS 10
#define F16_MIN_EXPONENT  (-14)
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
