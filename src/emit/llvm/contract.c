// SPDX-License-Identifier: Apache-2.0
/*
 * contract.c - fuses products with the sums that use them.
 *
 * in     FADD or FSUB of f32, with its operands' values
 * out    a fused multiply-add, if an operand is a product that nothing else uses
 * why    WGSL allows it. LLVM would do it by itself, but which sums it finds depends on how
 *        much it optimises: decided here, all versions of a kernel round alike
 * not    f64, whose operations are exact; f16, whose products are rounded on most machines
 */
#include "emit/llvm/math_priv.h"

static bool is_product(LlvmValue v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul;
}

/* Is it a product of numbers that nothing else uses, or a component of a product whose
 * components are used once each? */
static bool is_used_once(const Emit *e, const Inst *arg)
{
    if (e->uses[arg->id] != 1)
        return false;
    if (arg->op != IR_EXTRACT)
        return arg->op == IR_FMUL;
    const Inst *all = arg->args[0];
    return all->op == IR_FMUL && all->region == arg->region && e->uses[all->id] <= all->type.width;
}

/* `v`: the value of `arg`, an operand of `sum`. */
static bool may_fuse(const Emit *e, const Inst *sum, const Inst *arg, LlvmValue v)
{
    return e->has_fma && arg->type.kind == SCALAR_F32 && arg->region == sum->region &&
           is_used_once(e, arg) && is_product(v);
}

/* product + z, or z - product. */
static LlvmValue fused(Emit *e, LlvmValue product, LlvmValue z, bool minus)
{
    LlvmValue x = LLVMGetOperand(product, 0), y = LLVMGetOperand(product, 1);
    return math_fma(e, minus ? LLVMBuildFNeg(e->builder, x, "") : x, y, z);
}

LlvmValue contract_sum(Emit *e, const Inst *sum, const Inst *arg, LlvmValue v, LlvmValue z)
{
    return may_fuse(e, sum, arg, v) ? fused(e, v, z, false) : LLVMBuildFAdd(e->builder, v, z, "");
}

LlvmValue contract_inst(Emit *e, const Inst *inst, LlvmValue x, LlvmValue y)
{
    bool minus = inst->op == IR_FSUB;
    if (may_fuse(e, inst, inst->args[0], x))
        return fused(e, x, minus ? LLVMBuildFNeg(e->builder, y, "") : y, false);
    if (may_fuse(e, inst, inst->args[1], y))
        return fused(e, y, x, minus);
    return minus ? LLVMBuildFSub(e->builder, x, y, "") : LLVMBuildFAdd(e->builder, x, y, "");
}
