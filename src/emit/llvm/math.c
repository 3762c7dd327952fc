// SPDX-License-Identifier: Apache-2.0
/*
 * math.c - functions that no single instruction computes.
 *
 * in     operands of f32 or f16, scalars or vectors of lanes
 * out    code that is at least as accurate as WGSL 15.7.4 asks
 * knows  which function computes which operation; when one is called, not inlined
 * not    how
 */
#include "emit/llvm/math_priv.h"

#include <stdio.h>

#include "emit/llvm/outline_priv.h"

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

/* ---- out of line ---- */

/* Calls from which on a function is emitted once. Fewer are inlined, where their constants
 * stay in registers and other work fills their latency. */
#define MANY_CALLS 64u
#define MANY_POWS  24u              /* each as long as three of the others        */
#define MANY_IN_ALL 128u            /* of all functions: then also those with     */
#define SOME_CALLS 8u               /* so many                                    */

void math_count(Emit *e, const Inst *inst)
{
    if (!functions[inst->op])
        return;
    e->math_calls[inst->op] += inst->type.width;
    e->all_math_calls += inst->type.width;
}

static bool is_outlined(const Emit *e, IrOp op)
{
    uint32_t many = op == IR_POW ? MANY_POWS : MANY_CALLS;
    return e->math_calls[op] > (e->all_math_calls > MANY_IN_ALL ? SOME_CALLS : many);
}

static LlvmValue outlined(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    char      name[64];
    LlvmValue args[2] = {x, y};
    LlvmType  params[2] = {LLVMTypeOf(x), y ? LLVMTypeOf(y) : NULL};
    LlvmType  result = op == IR_FREXP_EXP ? with_element(e, x, e->i32) : params[0];
    LlvmType  type = LLVMFunctionType(result, params, y ? 2 : 1, false);
    snprintf(name, sizeof name, "weft_%s_%u", ir_op_name(op),
             is_vector(x) ? LLVMGetVectorSize(params[0]) : 1);
    Outline o;
    if (outline_open(e, &o, name, type, OUTLINE_NONE)) {
        LlvmValue second = y ? LLVMGetParam(o.fn, 1) : NULL;
        outline_close(e, &o, functions[op](e, LLVMGetParam(o.fn, 0), second));
    }
    return outline_call(e, &o, args, y ? 2 : 1);
}

LlvmValue math_call(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    MathFn *fn = functions[op];
    BUG_IF(!fn, "no code for %s", ir_op_name(op));
    BUG_IF(LLVMTypeOf(x) == with_element(e, x, e->f64), "%s of an f64", ir_op_name(op));
    bool half = is_half(e, x);
    x = widen(e, x);
    y = widen(e, y);
    LlvmValue r = is_outlined(e, op) ? outlined(e, op, x, y) : fn(e, x, y);
    if (half && LLVMTypeOf(r) == with_element(e, x, e->f32))
        r = LLVMBuildFPTrunc(e->builder, r, with_element(e, x, e->f16), "");
    return r;
}
