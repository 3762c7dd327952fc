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
    if (!fn) {
        emit_fail(e, "there is no code for '%s'", ir_op_name(op));
        return x;
    }
    bool half = is_half(e, x);
    LlvmValue r = fn(e, widen(e, x), widen(e, y));
    if (half && LLVMTypeOf(r) == with_element(e, x, e->f32))
        r = LLVMBuildFPTrunc(e->builder, r, LLVMTypeOf(x), "");
    return r;
}
