// SPDX-License-Identifier: Apache-2.0
/*
 * math_div.c - division of lanes by a number that all of them share.
 *
 * in     a vector of f32, a scalar
 * out    the quotients, by way of the scalar's reciprocal
 * why    a vector division occupies the machine ten times as long as a multiplication
 * knows  WGSL 15.7.4: the error of x / y counts for |y| in [2^-126, 2^126] only
 *
 * With r = 1 / y rounded and q = x r, a fused multiply-add makes x - q y without an error, and
 * q + r (x - q y) is off by no more than its rounding and 2^-46 (Markstein 1990), unless
 * something in between is subnormal. Where x - q y is zero or NaN, q is the quotient: exact, a
 * zero of the right sign, infinite or NaN.
 */
#include "emit/llvm/math_priv.h"

/* Does LLVM make a multiplication of it, because it is a power of two? Or is it so large or
 * small that its reciprocal is subnormal? */
static bool is_better_divided(const Inst *divisor, uint32_t c)
{
    uint32_t bits = divisor->op == IR_CONST ? divisor->constant.bits[c] : 1u << 22 | 127u << 23;
    uint32_t exponent = bits >> 23 & 255;
    return (bits & 0x7fffff) == 0 || exponent < 2 || exponent > 252;
}

bool math_shares_divisor(const Emit *e, const Inst *inst, uint32_t c)
{
    const Inst *divisor = inst->args[1];
    return inst->op == IR_FDIV && inst->type.kind == SCALAR_F32 && e->has_fma &&
           shape_of(e, inst) == SHAPE_VARYING && shape_of(e, divisor) != SHAPE_VARYING &&
           !is_better_divided(divisor, c);
}

LlvmValue math_divide_all(Emit *e, LlvmValue x, LlvmValue divisor)
{
    LLVMBuilderRef b = e->builder;
    LlvmValue r = splat(e, LLVMBuildFDiv(b, LLVMConstReal(e->f32, 1), divisor, ""));
    LlvmValue q = LLVMBuildFMul(b, x, r, "");
    LlvmValue left = math_fma(e, LLVMBuildFNeg(b, q, ""), splat(e, divisor), x);
    LlvmValue better = LLVMBuildFCmp(b, LLVMRealONE, left, LLVMConstNull(LLVMTypeOf(x)), "");
    return LLVMBuildSelect(b, better, math_fma(e, left, r, q), q, "");
}
