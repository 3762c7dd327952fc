// SPDX-License-Identifier: Apache-2.0
/*
 * math_exp.c - exp and exp2.
 *
 * e^x = 2^n e^r with n the integer nearest to x / ln 2, and so |r| < ln 2 / 2. What other
 * functions are made of is more accurate than exp itself, of which programs want speed.
 * Results below the smallest normal number become zero, as WGSL allows: kernels
 * (softmax!) pass very negative numbers often, and subnormal numbers are slow.
 */
#include "emit/llvm/math_priv.h"

/* The first result below the normal ones; ln 2, and the first infinite result. The
 * latter is a multiple of the former, which leaves no rest: 2^128 comes out as the bits
 * of infinity. */
#define EXP_MIN  -0x1.5d589ep6
#define LN2       0x1.62e43p-1
#define EXP_OVER (128 * LN2)

/* ln 2 in two parts; a product of the first with any n is exact. */
#define LN2_HIGH  0x1.62e4p-1
#define LN2_LOW   0x1.7f7d1cp-20

/* e^r for |r| <= ln 2 / 2, error 2^-23.4: with all roundings at most 3 units of the last
 * place where x is small, as WGSL asks, and much less than it asks elsewhere. */
static const double exp_short_c[] = {
    1, 0x1.fffff6p-1, 0x1.fffdc6p-2, 0x1.555a7ap-3, 0x1.573a24p-5, 0x1.0fa332p-7,
};

/* 2^r for |r| <= 1/2, the same way */
static const double exp2_short_c[] = {
    1, 0x1.62e42ap-1, 0x1.ebf9c2p-3, 0x1.c6b6dap-5, 0x1.3ce8b2p-7, 0x1.5bd97cp-10,
};

/* (e^r - 1) / r for |r| <= ln 2 / 2; error 2^-26.0, of e^r 2^-27.3 */
static const double exp_c[] = {
    1, 0.5, 0x1.5554b6p-3, 0x1.5555bap-5, 0x1.1223ecp-7, 0x1.6c554cp-10,
};

/* (2^r - 1) / r for |r| <= 1/2; error of 2^r 2^-27.2 */
static const double exp2_c[] = {
    0x1.62e43p-1, 0x1.ebfbdep-3, 0x1.c6af6ep-5, 0x1.3b2bap-7, 0x1.5f07b4p-10,
    0x1.4308c4p-13,
};

typedef struct Reduced {
    LlvmValue sum, r;                   /* n in its low bits; the rest            */
} Reduced;

static Reduced reduced(Emit *e, LlvmValue x)
{
    LlvmValue sum = math_fmak(e, x, 0x1.715476p0, math_const(e, x, MATH_ROUNDER));
    LlvmValue n = math_rounded(e, sum);
    LlvmValue r = math_fmak(e, n, -LN2_LOW, math_fmak(e, n, -LN2_HIGH, x));
    return (Reduced){sum, r};
}

LlvmValue math_exp2_fraction(Emit *e, LlvmValue r)
{
    LlvmValue q = math_poly(e, r, exp2_c, COUNTOF(exp2_c));
    return math_fma(e, q, r, math_const(e, r, 1));
}

/* The smaller of x and k; NaN stays. */
static LlvmValue at_most(Emit *e, LlvmValue x, double k)
{
    return math_select(e, math_test(e, x, LLVMRealOGT, k), math_const(e, x, k), x);
}

/* p * 2^n for a p near 1; zero where x is below `min`, NaN for NaN. */
static LlvmValue scaled(Emit *e, LlvmValue p, LlvmValue sum, LlvmValue x, double min)
{
    LlvmValue bits = LLVMBuildAdd(e->builder, math_bits(e, p), math_exponent(e, sum), "");
    LlvmValue zero = math_const(e, x, 0);
    LlvmValue below = math_select(e, math_test(e, x, LLVMRealOLT, 0), zero, x);
    return math_select(e, math_test(e, x, LLVMRealOGE, min), math_unbits(e, bits), below);
}

/* x - n ln 2, rounded once. */
static LlvmValue minus_ln2(Emit *e, LlvmValue x, LlvmValue n)
{
    if (e->has_fma)
        return math_fmak(e, n, -LN2, x);
    return math_fmak(e, n, LN2_HIGH - LN2, math_fmak(e, n, -LN2_HIGH, x));
}

LlvmValue math_exp(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    x = at_most(e, x, EXP_OVER);
    LlvmValue sum = math_fmak(e, x, 0x1.715476p0, math_const(e, x, MATH_ROUNDER));
    LlvmValue r = minus_ln2(e, x, math_rounded(e, sum));
    LlvmValue p = math_poly(e, r, exp_short_c, COUNTOF(exp_short_c));
    return scaled(e, p, sum, x, EXP_MIN);
}

MathExp math_exp_parts(Emit *e, LlvmValue x)
{
    Reduced a = reduced(e, x);
    LlvmValue q = math_poly(e, a.r, exp_c, COUNTOF(exp_c));
    return (MathExp){a.sum, math_mul(e, q, a.r)};
}

LlvmValue math_exp2(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    x = at_most(e, x, 128);
    LlvmValue sum = math_addk(e, x, MATH_ROUNDER);
    LlvmValue r = math_sub(e, x, math_rounded(e, sum));
    LlvmValue p = math_poly(e, r, exp2_short_c, COUNTOF(exp2_short_c));
    return scaled(e, p, sum, x, -126);
}
