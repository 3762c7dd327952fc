// SPDX-License-Identifier: Apache-2.0
/*
 * math_ops.c - the vocabulary of math*.c.
 *
 * in     f32 or f64, scalars or vectors of lanes
 * out    an instruction or two each
 * not    any function in particular
 */
#include "emit/llvm/math_priv.h"

/* ---- arithmetic ---- */

LlvmValue math_const(Emit *e, LlvmValue like, double v)
{
    LlvmType type = LLVMTypeOf(like);
    if (!is_vector(like))
        return LLVMConstReal(type, v);
    return splat(e, LLVMConstReal(LLVMGetElementType(type), v));
}

LlvmValue math_add(Emit *e, LlvmValue x, LlvmValue y)
{
    return LLVMBuildFAdd(e->builder, x, y, "");
}

LlvmValue math_sub(Emit *e, LlvmValue x, LlvmValue y)
{
    return LLVMBuildFSub(e->builder, x, y, "");
}

LlvmValue math_mul(Emit *e, LlvmValue x, LlvmValue y)
{
    return LLVMBuildFMul(e->builder, x, y, "");
}

LlvmValue math_addk(Emit *e, LlvmValue x, double k)
{
    return math_add(e, x, math_const(e, x, k));
}

LlvmValue math_mulk(Emit *e, LlvmValue x, double k)
{
    return math_mul(e, x, math_const(e, x, k));
}

/* LLVM would take vectors of f16 apart. The product is exact in f32. */
static LlvmValue fma_half(Emit *e, LlvmValue x, LlvmValue y, LlvmValue z)
{
    LlvmType half = LLVMTypeOf(x), wide = with_element(e, x, e->f32);
    x = LLVMBuildFPExt(e->builder, x, wide, "");
    y = LLVMBuildFPExt(e->builder, y, wide, "");
    z = LLVMBuildFPExt(e->builder, z, wide, "");
    return LLVMBuildFPTrunc(e->builder, math_fma(e, x, y, z), half, "");
}

LlvmValue math_fma(Emit *e, LlvmValue x, LlvmValue y, LlvmValue z)
{
    if (!e->has_fma)            /* LLVM would call fmaf() of the C library */
        return math_add(e, math_mul(e, x, y), z);
    return math_fma_once(e, x, y, z);
}

LlvmValue math_fma_once(Emit *e, LlvmValue x, LlvmValue y, LlvmValue z)
{
    LlvmType type = LLVMTypeOf(x);
    if (!e->has_f16 && type == with_element(e, x, e->f16))
        return fma_half(e, x, y, z);
    return intrinsic(e, "llvm.fma", &type, 1, 3, (LlvmValue[]){x, y, z});
}

LlvmValue math_fmak(Emit *e, LlvmValue x, double y, LlvmValue z)
{
    return math_fma(e, x, math_const(e, x, y), z);
}

/* A long chain of sums keeps other work waiting: even and odd terms apart. */
#define LONG_POLY 7u

LlvmValue math_poly(Emit *e, LlvmValue x, const double *c, uint32_t n)
{
    bool apart = n >= LONG_POLY;
    LlvmValue by = apart ? math_mul(e, x, x) : x;
    LlvmValue sums[2] = {0};
    for (uint32_t i = n; i-- > 0;) {
        LlvmValue k = math_const(e, x, c[i]), *sum = &sums[apart ? i & 1 : 0];
        *sum = *sum ? math_fma(e, *sum, by, k) : k;
    }
    return apart ? math_fma(e, sums[1], x, sums[0]) : sums[0];
}

LlvmValue math_wide(Emit *e, LlvmValue x)
{
    return LLVMBuildFPExt(e->builder, x, with_element(e, x, e->f64), "");
}

LlvmValue math_narrow(Emit *e, LlvmValue x)
{
    return LLVMBuildFPTrunc(e->builder, x, with_element(e, x, e->f32), "");
}

/* ---- choice ---- */

LlvmValue math_test(Emit *e, LlvmValue x, LLVMRealPredicate p, double k)
{
    return LLVMBuildFCmp(e->builder, p, x, math_const(e, x, k), "");
}

LlvmValue math_select(Emit *e, LlvmValue test, LlvmValue yes, LlvmValue no)
{
    return LLVMBuildSelect(e->builder, test, yes, no, "");
}

LlvmValue math_clamp(Emit *e, LlvmValue x, double low, double high)
{
    LlvmValue a = math_const(e, x, low), b = math_const(e, x, high);
    x = math_select(e, LLVMBuildFCmp(e->builder, LLVMRealOGT, a, x, ""), a, x);
    return math_select(e, LLVMBuildFCmp(e->builder, LLVMRealOLT, b, x, ""), b, x);
}

/* ---- numbers as bits ---- */

LlvmValue math_bits(Emit *e, LlvmValue x)
{
    return LLVMBuildBitCast(e->builder, x, with_element(e, x, e->i32), "");
}

LlvmValue math_unbits(Emit *e, LlvmValue bits)
{
    return LLVMBuildBitCast(e->builder, bits, with_element(e, bits, e->f32), "");
}

LlvmValue math_abs(Emit *e, LlvmValue x)
{
    return intrinsic1(e, "llvm.fabs", x);
}

LlvmValue math_with_sign(Emit *e, LlvmValue x, LlvmValue sign)
{
    return intrinsic2(e, "llvm.copysign", x, sign);
}

LlvmValue math_is_negative(Emit *e, LlvmValue x)
{
    LlvmValue bits = math_bits(e, x);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, bits, int_like(e, bits, 0), "");
}

LlvmValue math_rounded(Emit *e, LlvmValue sum)
{
    return math_addk(e, sum, -MATH_ROUNDER);
}

LlvmValue math_exponent(Emit *e, LlvmValue sum)
{
    LlvmValue bits = math_bits(e, sum);
    return LLVMBuildShl(e->builder, bits, int_like(e, bits, 23), "");
}
