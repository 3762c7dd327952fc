// SPDX-License-Identifier: Apache-2.0
/*
 * math_exp.c - exp and exp2.
 *
 * e^x = 2^n e^r with n the integer nearest to x / ln 2, and so |r| < ln 2 / 2.
 * Results below the smallest normal number become zero, as WGSL allows: kernels
 * (softmax!) pass very negative numbers often, and subnormal numbers are slow.
 */
#include "emit/llvm/math_priv.h"

/* The last finite result, and the first below the normal ones. */
#define EXP_MAX   0x1.62e42ep6
#define EXP_MIN  -0x1.5d589ep6

/* ln 2 in two parts; a product of the first with any n is exact. */
#define LN2_HIGH  0x1.62e4p-1
#define LN2_LOW   0x1.7f7d1cp-20

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

/* p * 2^n for a p near 1, where the result is normal; the caller knows how x
 * must lie for that. Beyond are infinity, NaN for NaN, and zero. */
static LlvmValue scaled(Emit *e, LlvmValue p, LlvmValue sum, LlvmValue x, double max,
                        double min)
{
    LlvmValue bits = LLVMBuildAdd(e->builder, math_bits(e, p), math_exponent(e, sum), "");
    LlvmValue v = math_unbits(e, bits);
    LlvmValue over = math_mulk(e, x, 0x1p127);
    v = math_select(e, math_test(e, x, LLVMRealUGT, max), over, v);
    return math_select(e, math_test(e, x, LLVMRealOLT, min), math_const(e, v, 0), v);
}

LlvmValue math_exp(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    Reduced a = reduced(e, x);
    LlvmValue q = math_poly(e, a.r, exp_c, COUNTOF(exp_c));
    LlvmValue p = math_fma(e, q, a.r, math_const(e, x, 1));
    return scaled(e, p, a.sum, x, EXP_MAX, EXP_MIN);
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
    LlvmValue sum = math_addk(e, x, MATH_ROUNDER);
    LlvmValue p = math_exp2_fraction(e, math_sub(e, x, math_rounded(e, sum)));
    return scaled(e, p, sum, x, 0x1.fffffep6, -126);
}
