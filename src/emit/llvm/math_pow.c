// SPDX-License-Identifier: Apache-2.0
/*
 * math_pow.c - x^y = 2^(y log2(x)).
 *
 * An error in the logarithm counts y times, so the logarithm and its product with
 * y are computed in f64; the results are good to the last bit or two.
 *
 * x^0 is 1 for every x; other powers of negative numbers are NaN. (Small whole powers
 * that are known before are products: opt/fold.c.)
 */
#include "emit/llvm/math_priv.h"

#include <math.h>

/* log2(1 + f) / f, with 1 + f between sqrt(1/2) and sqrt(2); error 2^-35.8 */
static const double log2_c[] = {
    0x1.71547652a1ea5p0,  -0x1.715476565d5cbp-1, 0x1.ec709ebb8fe42p-2,
    -0x1.7154709781936p-2, 0x1.277651fd4d596p-2, -0x1.ec72b5a01fb21p-3,
    0x1.a63f442631afdp-3, -0x1.71416fec1ab1ap-3, 0x1.45291bdff8ef9p-3,
    -0x1.252f44ea11a76p-3, 0x1.2871dfef2aec8p-3, -0x1.2488af483a943p-3,
    0x1.3ce8264460258p-4,
};
/* The terms from f^8 on are small enough for f32, beside the others. */
#define WIDE_TERMS 7

static LlvmValue log2_wide(Emit *e, LlvmValue x)
{
    MathSplit s = math_split(e, x);
    LlvmValue k = math_wide(e, math_log_ends(e, x, s.k, INFINITY)), f = math_wide(e, s.f);
    LlvmValue f2 = math_mul(e, f, f), f4 = math_mul(e, f2, f2);
    LlvmValue last = math_poly(e, s.f, log2_c + WIDE_TERMS, COUNTOF(log2_c) - WIDE_TERMS);
    LlvmValue sum = math_fma(e, f, math_poly(e, f, log2_c, WIDE_TERMS), k);
    return math_fma(e, math_mul(e, f4, f4), math_wide(e, last), sum);
}

/* 2^n for |n| <= 126, from n as an integer. */
static LlvmValue power_of_two(Emit *e, LlvmValue n)
{
    LlvmValue bits = LLVMBuildShl(e->builder, n, int_like(e, n, 23), "");
    return math_unbits(e, LLVMBuildAdd(e->builder, bits, int_like(e, n, 0x3f800000u), ""));
}

/* p * 2^n for n from -250 to 250, in two steps, so that overflow and subnormal
 * results come out by themselves. */
static LlvmValue scaled(Emit *e, LlvmValue p, LlvmValue n)
{
    LlvmValue sum = math_addk(e, n, MATH_ROUNDER);
    LlvmValue rounder = math_const(e, n, MATH_ROUNDER);
    LlvmValue whole = LLVMBuildSub(e->builder, math_bits(e, sum), math_bits(e, rounder), "");
    LlvmValue half = LLVMBuildAShr(e->builder, whole, int_like(e, whole, 1), "");
    LlvmValue rest = LLVMBuildSub(e->builder, whole, half, "");
    return math_mul(e, math_mul(e, p, power_of_two(e, half)), power_of_two(e, rest));
}

LlvmValue math_pow(Emit *e, LlvmValue x, LlvmValue y)
{
    LlvmValue z = math_mul(e, math_wide(e, y), log2_wide(e, x));
    z = math_clamp(e, z, -250, 250);
    LlvmValue n = math_addk(e, math_addk(e, z, 0x1.8p52), -0x1.8p52);
    LlvmValue p = math_exp2_fraction(e, math_narrow(e, math_sub(e, z, n)));
    LlvmValue r = scaled(e, p, math_narrow(e, n));
    return math_select(e, math_test(e, y, LLVMRealOEQ, 0), math_const(e, r, 1), r);
}
