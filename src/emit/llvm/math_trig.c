// SPDX-License-Identifier: Apache-2.0
/*
 * math_trig.c - sin, cos and tan.
 *
 * sin, cos: x = n pi + r with |r| <= pi/2, n an integer for sin and an integer and
 * a half for cos; the result is sin(r), with the other sign if n is odd.
 * tan: x = n pi/2 + r with |r| <= pi/4; the result is tan(r) or -1 / tan(r).
 *
 * As far as 10^6 from zero r is right to 2^-29. Beyond, the results mean little,
 * but are numbers from -1 to 1. sin(-0) is 0.
 */
#include "emit/llvm/math_priv.h"

/* What |r| can be when |x| is at most 10^6: somewhat above pi/2 and pi/4, as n is
 * found with a few roundings. */
#define SIN_R_MAX 1.67
#define TAN_R_MAX 0.84

/*
 * pi in parts, from above. The first difference is exact: x and n times the first
 * part are multiples of 2^-23, and it is below 2.
 */
static const double pi_parts[] = {0x1.921fb4p1, 0x1.4442d2p-23};
/* The same, where a product is rounded before it is subtracted. */
static const double pi_short_parts[] = {
    0x1.92p1, 0x1.fb4p-11, 0x1.444p-23, 0x1.68c234p-38,
};

/* (sin(r) - r) / r^3 in r^2, for |r| <= SIN_R_MAX; error of sin(r) 2^-26. The last
 * bits are such that sin(pi/2) is 1, as cos(0) should be, and no result is above. */
static const double sin_c[] = {
    -0x1.555548p-3, 0x1.110ddep-7, -0x1.9f400cp-13, 0x1.5b1f6cp-19,
};

/* (tan(r) - r) / r^3 in r^2, for |r| <= TAN_R_MAX; error of tan(r) 2^-24.1 */
static const double tan_c[] = {
    0x1.55541ep-2, 0x1.1152c2p-3, 0x1.b10108p-5, 0x1.aefabep-6, 0x1.1b029cp-12,
    0x1.67f28ap-7,
};

/* x - n times `times` pi */
static LlvmValue minus_multiple(Emit *e, LlvmValue x, LlvmValue n, double times)
{
    const double *parts = e->has_fma ? pi_parts : pi_short_parts;
    size_t count = e->has_fma ? COUNTOF(pi_parts) : COUNTOF(pi_short_parts);
    for (size_t i = 0; i < count; i++)
        x = math_fmak(e, n, -parts[i] * times, x);
    return x;
}

/* r + r^3 q(r^2) */
static LlvmValue odd_poly(Emit *e, LlvmValue r, const double *c, uint32_t n)
{
    LlvmValue r2 = math_mul(e, r, r);
    LlvmValue q = math_poly(e, r2, c, n);
    return math_fma(e, math_mul(e, r2, r), q, r);
}

/* sin(x - n pi), negative if the integer in `sum` is odd. */
static LlvmValue half_wave(Emit *e, LlvmValue x, LlvmValue n, LlvmValue sum)
{
    LlvmValue r = minus_multiple(e, x, n, 1);
    r = math_clamp(e, r, -SIN_R_MAX, SIN_R_MAX);
    LlvmValue s = odd_poly(e, r, sin_c, COUNTOF(sin_c));
    LlvmValue sign = math_bits(e, sum);
    sign = LLVMBuildShl(e->builder, sign, int_like(e, sign, 31), "");
    return math_unbits(e, LLVMBuildXor(e->builder, math_bits(e, s), sign, ""));
}

LlvmValue math_sin(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue sum = math_fmak(e, x, 0x1.45f306p-2, math_const(e, x, MATH_ROUNDER));
    return half_wave(e, x, math_rounded(e, sum), sum);
}

/* cos(x) = sin(x + pi/2) */
LlvmValue math_cos(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue turns = math_fmak(e, x, 0x1.45f306p-2, math_const(e, x, 0.5));
    LlvmValue sum = math_addk(e, turns, MATH_ROUNDER);
    return half_wave(e, x, math_addk(e, math_rounded(e, sum), -0.5), sum);
}

LlvmValue math_tan(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue sum = math_fmak(e, x, 0x1.45f306p-1, math_const(e, x, MATH_ROUNDER));
    LlvmValue r = minus_multiple(e, x, math_rounded(e, sum), 0.5);
    r = math_clamp(e, r, -TAN_R_MAX, TAN_R_MAX);
    LlvmValue t = odd_poly(e, r, tan_c, COUNTOF(tan_c));
    LlvmValue odd = math_bits(e, sum);
    odd = LLVMBuildShl(e->builder, odd, int_like(e, odd, 31), "");
    odd = LLVMBuildICmp(e->builder, LLVMIntSLT, odd, int_like(e, odd, 0), "");
    LlvmValue above = math_select(e, odd, math_const(e, t, -1), t);
    LlvmValue below = math_select(e, odd, t, math_const(e, t, 1));
    return LLVMBuildFDiv(e->builder, above, below, "");
}
