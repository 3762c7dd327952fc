// SPDX-License-Identifier: Apache-2.0
/*
 * math_log.c - log and log2.
 *
 * x = 2^k m with m between sqrt(1/2) and sqrt(2), and log(m) is a polynomial in
 * f = m - 1. As |log(m)| is at most half of log(2), no sum cancels.
 */
#include "emit/llvm/math_priv.h"

#include <math.h>

#define SQRT_HALF_BITS 0x3f3504f3u
#define MANTISSA_BITS  0x007fffffu

/* ln 2 in two parts; a product of the first with any k is exact. */
#define LN2_HIGH 0x1.62e4p-1
#define LN2_LOW  0x1.7f7d1cp-20

/* (log(1 + f) - f) / f^2; error of log(1 + f) 2^-24.9 */
static const double log_c[] = {
    -0x1.fffffap-2, 0x1.5556f6p-2, -0x1.0004cap-2, 0x1.98d232p-3, -0x1.53527ap-3,
    0x1.317fa2p-3, -0x1.25594ep-3, 0x1.66cc0ap-4,
};

/* log2(1 + f) / f - 1; error of log2(1 + f) 2^-24.7 */
static const double log2_c[] = {
    0x1.c551d6p-2, -0x1.71547p-1, 0x1.ec73d6p-2, -0x1.715c4ep-2, 0x1.26d384p-2,
    -0x1.e95bccp-3, 0x1.b9c90ep-3, -0x1.a87dcp-3, 0x1.01b7dep-3,
};

MathSplit math_split(Emit *e, LlvmValue x)
{
    LLVMBuilderRef b = e->builder;
    LlvmValue tiny = math_test(e, x, LLVMRealOLT, 0x1p-126);
    LlvmValue bits = math_bits(e, math_select(e, tiny, math_mulk(e, x, 0x1p23), x));
    LlvmValue base = int_like(e, x, SQRT_HALF_BITS);
    bits = LLVMBuildSub(b, bits, base, "");
    LlvmValue k = LLVMBuildAShr(b, bits, int_like(e, x, 23), "");
    LlvmValue less = math_select(e, tiny, int_like(e, x, 23), int_like(e, x, 0));
    k = LLVMBuildSub(b, k, less, "");
    LlvmValue m = LLVMBuildAnd(b, bits, int_like(e, x, MANTISSA_BITS), "");
    m = math_unbits(e, LLVMBuildAdd(b, m, base, ""));
    return (MathSplit){
        .k = LLVMBuildSIToFP(b, k, with_element(e, x, e->f32), ""),
        .f = math_addk(e, m, -1),
    };
}

LlvmValue math_log_ends(Emit *e, LlvmValue x, LlvmValue r, double end)
{
    LlvmValue below = math_select(e, math_test(e, x, LLVMRealOEQ, 0), math_const(e, r, -end),
                                  math_const(e, r, NAN));
    r = math_select(e, math_test(e, x, LLVMRealOGT, 0), r, below);
    return math_select(e, math_test(e, x, LLVMRealOEQ, INFINITY), math_const(e, r, end), r);
}

LlvmValue math_log_sum(Emit *e, MathSplit x, LlvmValue more)
{
    LlvmValue q = math_poly(e, x.f, log_c, COUNTOF(log_c));
    LlvmValue low = more ? math_fmak(e, x.k, LN2_LOW, more) : math_mulk(e, x.k, LN2_LOW);
    LlvmValue r = math_fma(e, math_mul(e, x.f, x.f), q, low);
    return math_fmak(e, x.k, LN2_HIGH, math_add(e, x.f, r));
}

LlvmValue math_log(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue r = math_log_sum(e, math_split(e, x), NULL);
    return math_log_ends(e, x, r, INFINITY);
}

LlvmValue math_log2(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    MathSplit s = math_split(e, x);
    LlvmValue q = math_poly(e, s.f, log2_c, COUNTOF(log2_c));
    LlvmValue r = math_add(e, math_fma(e, s.f, q, s.f), s.k);
    return math_log_ends(e, x, r, INFINITY);
}
