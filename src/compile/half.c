// SPDX-License-Identifier: Apache-2.0
/*
 * half.c - conversions between f16 and the larger floats, by integer arithmetic.
 *
 * in     a float or a double; the bits of a half
 * out    the other; infinities, subnormal numbers and NaN are kept
 * knows  IEEE 754 binary16, 32 and 64
 */
#include "compile/half.h"

#include <stdint.h>
#include <string.h>

#define INFINITE    (2047ull << 52)     /* the bits of an infinite double         */
#define HIDDEN      (1ull << 52)
#define MOST        15                  /* the largest exponent of a half         */
#define LEAST_PLAIN (-14)               /* below it halves are subnormal          */
#define NEVER       (-26)               /* numbers with it are nearest to zero    */

/* The magnitude of a finite number from 2^-25 on. A carry from the fraction increases the
 * exponent, up to that of infinity. */
static uint32_t round_magnitude(uint64_t significand, int exponent)
{
    int      below = exponent < LEAST_PLAIN ? LEAST_PLAIN - exponent : 0;
    int      drop = 42 + below;
    uint64_t kept = significand >> drop, rest = significand & ((1ull << drop) - 1);
    uint64_t tie = 1ull << (drop - 1);
    kept += rest > tie || (rest == tie && (kept & 1));
    uint32_t base = below ? 0 : (uint32_t)(exponent - LEAST_PLAIN) << 10;
    return base + (uint32_t)kept;
}

static uint32_t half_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;
    uint64_t magnitude = bits & ~(1ull << 63);
    int      exponent = (int)(magnitude >> 52) - 1023;
    if (magnitude > INFINITE)
        return sign | 0x7e00;           /* NaN */
    if (exponent > MOST)
        return sign | 0x7c00;
    if (exponent <= NEVER)
        return sign;
    return sign | round_magnitude((magnitude & (HIDDEN - 1)) | HIDDEN, exponent);
}

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

float half_extend(float half)
{
    uint32_t bits;
    memcpy(&bits, &half, sizeof bits);
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31)
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent > 0)
        return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float small = (float)fraction * 0x1p-24f;
    return sign ? -small : small;
}

float half_truncate(float x)
{
    return half_truncate_double((double)x);
}

float half_truncate_double(double x)
{
    return float_of_bits(half_of(x));
}
