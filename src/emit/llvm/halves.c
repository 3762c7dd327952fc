// SPDX-License-Identifier: Apache-2.0
/*
 * halves.c - compares vectors of f16 as f32, on machines with f16 in mask registers.
 *
 * in     a module after LLVM's passes
 * out    the same in which no ordering of f16 vectors is compared as f16
 * why    up to LLVM 21 code generation exchanges the operands of a masked vcmpph, when it
 *        loads one of them from the stack, but not its condition (reported as LLVM 159723)
 *
 * Equality has no order of operands and stays.
 */
#include "emit/llvm/target_priv.h"

static bool has_order(LLVMRealPredicate p)
{
    return p != LLVMRealOEQ && p != LLVMRealONE && p != LLVMRealORD && p != LLVMRealUNO &&
           p != LLVMRealUEQ && p != LLVMRealUNE;
}

static bool is_order_of_halves(LlvmValue i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMFCmp || !has_order(LLVMGetFCmpPredicate(i)))
        return false;
    LlvmType t = LLVMTypeOf(LLVMGetOperand(i, 0));
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMHalfTypeKind;
}

static void widen_operands(Emit *e, LlvmValue compare)
{
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(compare, 0)));
    LlvmType wide = LLVMVectorType(e->f32, count);
    LLVMPositionBuilderBefore(e->builder, compare);
    for (unsigned i = 0; i < 2; i++) {
        LlvmValue v = LLVMGetOperand(compare, i);
        LLVMSetOperand(compare, i, LLVMBuildFPExt(e->builder, v, wide, ""));
    }
}

void halves_widen(Emit *e)
{
    for (LlvmValue f = LLVMGetFirstFunction(e->module); f; f = LLVMGetNextFunction(f))
        for (LlvmBlock b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LlvmValue i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_order_of_halves(i))
                    widen_operands(e, i);
}
