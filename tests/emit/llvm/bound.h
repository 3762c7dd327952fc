/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound.h - formats of numbers, and how accurate WGSL 15.7.4 asks functions to be.
 */
#ifndef WEFT_TESTS_EMIT_BOUND_H
#define WEFT_TESTS_EMIT_BOUND_H

#include <stdint.h>

typedef struct Format {
    const char *name;
    int    bits, least;                 /* of mantissa; exponent of the least one */
    double max, normal;                 /* largest, least normal                  */
} Format;

extern const Format f32, f16;

double   ulp_at(double x, const Format *f);     /* the distance of neighbours at x */
double   half_value(uint16_t bits);
uint16_t half_bits(double x);                   /* nearest, ties to even           */

/* How far from r the result may be, at x and y. */
typedef double Bound(double x, double y, double r, const Format *f);

Bound bound_exact, bound_rounded, bound_two_ulp;
Bound bound_exp, bound_log, bound_pow, bound_sin, bound_tan;
Bound bound_asin, bound_atan, bound_atan2, bound_sinh, bound_tanh;
Bound bound_asinh, bound_acosh, bound_atanh;

#endif
