// SPDX-License-Identifier: Apache-2.0
/*
 * ternary.c - keeps LLVM from merging lanes into its three-operand logic wrongly.
 *
 * in     a module after LLVM's passes, for a machine with mask registers
 * out    the same in which no SELECT has an operand of its own logic as other arm
 * why    for select(m, (a & c) | (b & ~c), a) code generation ties the result to `a` and
 *        exchanges the operands of vpternlog without exchanging them in its table of
 *        truth: the lanes of the mask get another function
 *
 * A freeze is a value of its own, so that nothing is tied.
 */
#include "emit/llvm/target_priv.h"

#define MAX_DEPTH 4u                /* operations that become one instruction     */

static bool is_logic(LlvmValue v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

static bool uses(LlvmValue logic, LlvmValue leaf, uint32_t depth)
{
    if (logic == leaf)
        return true;
    if (depth == 0 || !is_logic(logic))
        return false;
    return uses(LLVMGetOperand(logic, 0), leaf, depth - 1) ||
           uses(LLVMGetOperand(logic, 1), leaf, depth - 1);
}

static bool is_vector_of_words(LlvmValue v)
{
    LlvmType t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) > 1;
}

static void untie(Emit *e, LlvmValue select)
{
    for (unsigned arm = 1; arm <= 2; arm++) {
        LlvmValue logic = LLVMGetOperand(select, arm), other = LLVMGetOperand(select, 3 - arm);
        if (!is_logic(logic) || LLVMIsConstant(other) || !uses(logic, other, MAX_DEPTH))
            continue;
        LLVMPositionBuilderBefore(e->builder, select);
        LLVMSetOperand(select, 3 - arm, LLVMBuildFreeze(e->builder, other, ""));
        return;
    }
}

void ternary_untie(Emit *e)
{
    for (LlvmValue f = LLVMGetFirstFunction(e->module); f; f = LLVMGetNextFunction(f))
        for (LlvmBlock b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LlvmValue i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMGetInstructionOpcode(i) == LLVMSelect && is_vector_of_words(i))
                    untie(e, i);
}
