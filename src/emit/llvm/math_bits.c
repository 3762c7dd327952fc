// SPDX-License-Identifier: Apache-2.0
/*
 * math_bits.c - ldexp and frexp: functions of the form of a number, all exact.
 */
#include "emit/llvm/math_priv.h"

#include <math.h>

#define EXPONENT_BIAS 126u              /* frexp's fractions are from 1/2 to 1    */

/*
 * x times 2^n. In f64 no product of an f32 with 2^n is too large or too small,
 * while |n| is at most 300; beyond, the result is infinite or zero anyway. So the
 * only rounding is that to f32, which is right for subnormal results, too.
 */
LlvmValue math_ldexp(Emit *e, LlvmValue x, LlvmValue n)
{
    LLVMBuilderRef b = e->builder;
    LlvmType wide = with_element(e, x, e->i64);
    n = intrinsic2(e, "llvm.smax", n, int_like(e, n, (uint32_t)-300));
    n = intrinsic2(e, "llvm.smin", n, int_like(e, n, 300));
    n = LLVMBuildAdd(b, n, int_like(e, n, 1023), "");
    LlvmValue by = is_vector(x) ? splat(e, const_i64(e, 52)) : const_i64(e, 52);
    LlvmValue power = LLVMBuildShl(b, LLVMBuildZExt(b, n, wide, ""), by, "");
    power = LLVMBuildBitCast(b, power, with_element(e, x, e->f64), "");
    return math_narrow(e, math_mul(e, math_wide(e, x), power));
}

/* A number with its exponent in the usual place, and what that is too large by. */
typedef struct Normal {
    LlvmValue bits, excess;
} Normal;

static Normal normalized(Emit *e, LlvmValue x)
{
    LlvmValue tiny = math_test(e, math_abs(e, x), LLVMRealOLT, 0x1p-126);
    LlvmValue y = math_select(e, tiny, math_mulk(e, x, 0x1p24), x);
    return (Normal){
        .bits = math_bits(e, y),
        .excess = math_select(e, tiny, int_like(e, x, EXPONENT_BIAS + 24),
                              int_like(e, x, EXPONENT_BIAS)),
    };
}

/* Neither zero nor infinity nor NaN: these are fractions of themselves. */
static LlvmValue has_exponent(Emit *e, LlvmValue x)
{
    LlvmValue finite = math_test(e, math_abs(e, x), LLVMRealOLT, INFINITY);
    return LLVMBuildAnd(e->builder, finite, math_test(e, x, LLVMRealONE, 0), "");
}

LlvmValue math_frexp_fract(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    Normal n = normalized(e, x);
    LlvmValue bits = LLVMBuildAnd(e->builder, n.bits, int_like(e, x, 0x807fffffu), "");
    bits = LLVMBuildOr(e->builder, bits, int_like(e, x, EXPONENT_BIAS << 23), "");
    return math_select(e, has_exponent(e, x), math_unbits(e, bits), x);
}

LlvmValue math_frexp_exp(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    Normal n = normalized(e, x);
    LlvmValue exponent = LLVMBuildLShr(e->builder, n.bits, int_like(e, x, 23), "");
    exponent = LLVMBuildAnd(e->builder, exponent, int_like(e, x, 255), "");
    exponent = LLVMBuildSub(e->builder, exponent, n.excess, "");
    return math_select(e, has_exponent(e, x), exponent, int_like(e, x, 0));
}
