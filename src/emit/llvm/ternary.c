// SPDX-License-Identifier: Apache-2.0
/*
 * ternary.c - keeps LLVM from merging lanes into its three-operand logic wrongly.
 *
 * in     a module after LLVM's passes, for a machine with mask registers
 * out    the same in which no SELECT has an operand of its own logic as other arm
 * why    for select(m, (a & c) | (b & ~c), a) code generation before LLVM 23 ties the result
 *        to `a` and rotates the operands of vpternlog one way but its truth table the other
 *        (LLVM 157929): the lanes of the mask get another function
 *
 * The other arm becomes the result of an empty piece of assembly, which is a value of its own
 * for code generation. (A freeze is not: it disappears where the operand cannot be poison.)
 */
#include "emit/llvm/target_priv.h"

#define MAX_DEPTH    4u             /* operations that become one instruction     */
#define MAX_ELEMENTS 64u            /* of a vector whose lanes may be mixed up    */

/* vpternlog has masks for words of 32 and 64 bits only. */
#define MIN_WORD     32u

static bool is_logic(LlvmValue v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAnd || op == LLVMOr || op == LLVMXor || op == LLVMAdd;
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
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) >= MIN_WORD;
}

/* `v`, which fills one vector register, as a value that code generation knows nothing about. */
static LlvmValue opaque_register(Emit *e, LlvmValue v)
{
    static char same_register[] = "=v,0";
    LlvmType type = LLVMTypeOf(v), signature = LLVMFunctionType(type, &type, 1, false);
    LlvmValue nothing = LLVMGetInlineAsm(signature, "", 0, same_register,
                                         sizeof same_register - 1, false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, signature, nothing, &v, 1, "");
}

/* Elements `first` to `first + n` of `v` and then of `w`. */
static LlvmValue elements(Emit *e, LlvmValue v, LlvmValue w, unsigned first, unsigned n)
{
    LlvmValue at[MAX_ELEMENTS];
    for (unsigned i = 0; i < n; i++)
        at[i] = LLVMConstInt(e->i32, first + i, false);
    return LLVMBuildShuffleVector(e->builder, v, w, LLVMConstVector(at, n), "");
}

static LlvmValue opaque(Emit *e, LlvmValue v)
{
    LlvmType type = LLVMTypeOf(v);
    unsigned n = LLVMGetVectorSize(type);
    unsigned bits = n * LLVMGetIntTypeWidth(LLVMGetElementType(type));
    if (bits == 128 || bits == 256 || bits == 512)
        return opaque_register(e, v);
    if (bits < 512 || n > MAX_ELEMENTS || n % 2)
        return v;
    LlvmValue low = opaque(e, elements(e, v, v, 0, n / 2));
    LlvmValue high = opaque(e, elements(e, v, v, n / 2, n / 2));
    return elements(e, low, high, 0, n);
}

static void untie(Emit *e, LlvmValue select)
{
    for (unsigned arm = 1; arm <= 2; arm++) {
        LlvmValue logic = LLVMGetOperand(select, arm), other = LLVMGetOperand(select, 3 - arm);
        if (!is_logic(logic) || LLVMIsConstant(other) || !uses(logic, other, MAX_DEPTH))
            continue;
        LLVMPositionBuilderBefore(e->builder, select);
        LLVMSetOperand(select, 3 - arm, opaque(e, other));
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
