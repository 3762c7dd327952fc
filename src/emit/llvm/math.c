// SPDX-License-Identifier: Apache-2.0
/*
 * math.c - functions that no single instruction computes.
 *
 * in     operands of f32 or f16, scalars or vectors of lanes
 * out    code that is at least as accurate as WGSL 15.7.4 asks
 * knows  which function computes which operation
 * not    how
 */
#include "emit/llvm/math_priv.h"

static MathFn *const functions[IR_OP_COUNT] = {
    [IR_RSQRT] = math_rsqrt,
    [IR_EXP] = math_exp,
    [IR_EXP2] = math_exp2,
    [IR_LOG] = math_log,
    [IR_LOG2] = math_log2,
    [IR_POW] = math_pow,
    [IR_SIN] = math_sin,
    [IR_COS] = math_cos,
    [IR_TAN] = math_tan,
    [IR_ASIN] = math_asin,
    [IR_ACOS] = math_acos,
    [IR_ATAN] = math_atan,
    [IR_ATAN2] = math_atan2,
    [IR_SINH] = math_sinh,
    [IR_COSH] = math_cosh,
    [IR_TANH] = math_tanh,
    [IR_ASINH] = math_asinh,
    [IR_ACOSH] = math_acosh,
    [IR_ATANH] = math_atanh,
    [IR_LDEXP] = math_ldexp,
    [IR_FREXP_FRACT] = math_frexp_fract,
    [IR_FREXP_EXP] = math_frexp_exp,
};

static bool is_half(Emit *e, LlvmValue x)
{
    return LLVMTypeOf(x) == with_element(e, x, e->f16);
}

static LlvmValue widen(Emit *e, LlvmValue x)
{
    if (!x || !is_half(e, x))
        return x;
    return LLVMBuildFPExt(e->builder, x, with_element(e, x, e->f32), "");
}

LlvmValue math_call(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    MathFn *fn = functions[op];
    BUG_IF(!fn, "no code for %s", ir_op_name(op));
    bool half = is_half(e, x);
    LlvmValue r = fn(e, widen(e, x), widen(e, y));
    if (half && LLVMTypeOf(r) == with_element(e, x, e->f32))
        r = LLVMBuildFPTrunc(e->builder, r, LLVMTypeOf(x), "");
    return r;
}
