// SPDX-License-Identifier: Apache-2.0
/*
 * math_trig.c - sin and cos.
 *
 * x = n pi + r with |r| <= pi/2, n an integer for sin and an integer and a half
 * for cos; then the result is sin(r), with the sign of an odd n. As far as 10^6
 * from zero r is right to 2^-30; beyond, the result is some number from -1 to 1.
 */
#include "emit/llvm/math_priv.h"

/* Above pi/2, as the n nearest to x / pi is found with a few roundings. */
#define R_MAX 1.67

/* pi in parts. The first difference is exact: both x and n times the first part
 * are multiples of 2^-23, and it is below 2. */
static const double pi_parts[] = {0x1.921fb6p1, -0x1.777a5cp-24};
/* The same, where a product is rounded before it is subtracted. */
static const double pi_short_parts[] = {
    0x1.92p1, 0x1.fb4p-11, 0x1.444p-23, 0x1.68c234p-38,
};

/* (sin(r) - r) / r^3 in r^2, for |r| <= R_MAX; error of sin(r) 2^-26.3 */
static const double sin_c[] = {
    -0x1.555546p-3, 0x1.110ddcp-7, -0x1.9f4202p-13, 0x1.5b333p-19,
};

static LlvmValue minus_multiple(Emit *e, LlvmValue x, LlvmValue n)
{
    const double *parts = e->has_fma ? pi_parts : pi_short_parts;
    size_t count = e->has_fma ? COUNTOF(pi_parts) : COUNTOF(pi_short_parts);
    for (size_t i = 0; i < count; i++)
        x = math_fmak(e, n, -parts[i], x);
    return math_clamp(e, x, -R_MAX, R_MAX);
}

/* sin(r), negative if the integer in `sum` is odd. */
static LlvmValue half_wave(Emit *e, LlvmValue r, LlvmValue sum)
{
    LlvmValue r2 = math_mul(e, r, r);
    LlvmValue q = math_poly(e, r2, sin_c, COUNTOF(sin_c));
    LlvmValue s = math_fma(e, math_mul(e, r2, r), q, r);
    LlvmValue sign = math_bits(e, sum);
    sign = LLVMBuildShl(e->builder, sign, int_like(e, sign, 31), "");
    return math_unbits(e, LLVMBuildXor(e->builder, math_bits(e, s), sign, ""));
}

LlvmValue math_sin(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue sum = math_fmak(e, x, 0x1.45f306p-2, math_const(e, x, MATH_ROUNDER));
    return half_wave(e, minus_multiple(e, x, math_rounded(e, sum)), sum);
}

/* cos(x) = sin(x + pi/2) */
LlvmValue math_cos(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue turns = math_fmak(e, x, 0x1.45f306p-2, math_const(e, x, 0.5));
    LlvmValue sum = math_addk(e, turns, MATH_ROUNDER);
    LlvmValue n = math_addk(e, math_rounded(e, sum), -0.5);
    return half_wave(e, minus_multiple(e, x, n), sum);
}
