// SPDX-License-Identifier: Apache-2.0
/*
 * cut.c - cuts long basic blocks, so that code generation stays linear.
 *
 * in     a function after LLVM's passes
 * out    the same with blocks of at most LONG_BLOCK instructions
 * why    instruction selection, both schedulers and the register allocator take time
 *        with the square of a block's length
 * not    kernels
 *
 * Between two parts stands a branch that is never taken, on a condition that LLVM cannot
 * evaluate: it would join the parts again otherwise.
 */
#include "emit/llvm/target_priv.h"

#define LONG_BLOCK 2000u            /* instructions: longer blocks are cut         */
#define PART       500u             /* into parts of so many                       */

static uint32_t length_of(LlvmBlock block)
{
    uint32_t n = 0;
    for (LlvmValue i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        n++;
    return n;
}

/* All branches to `from` go to `to`. Phis name the blocks that branches come from, so
 * they stay right. */
static void redirect(LlvmBlock from, LlvmBlock to)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(from)));) {
        LlvmValue branch = LLVMGetUser(use);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++)
            if (LLVMGetSuccessor(branch, i) == from)
                LLVMSetSuccessor(branch, i, to);
    }
}

/* Moves the first instructions of a block into a new one before it; the branch at its end stays. */
static LlvmBlock take_head(Emit *e, LlvmBlock block)
{
    LlvmBlock head = LLVMInsertBasicBlockInContext(e->context, block, "part");
    uint32_t  n = 0;
    LLVMPositionBuilderAtEnd(e->builder, head);
    for (LlvmValue i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!next || (n++ >= PART && !LLVMIsAPHINode(i)))
            break;
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(e->builder, i);
    }
    return head;
}

/* Never true: a kernel is always called with a dispatch. */
static void branch_never(Emit *e, LlvmBlock from, LlvmBlock never, LlvmBlock to)
{
    LLVMPositionBuilderAtEnd(e->builder, from);
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, e->dispatch, ""), never, to);
}

static void cut_block(Emit *e, LlvmBlock block, LlvmBlock never, uint32_t parts)
{
    LlvmBlock last = NULL;
    for (uint32_t i = 0; i < parts; i++) {
        LlvmBlock head = take_head(e, block);
        if (last)
            branch_never(e, last, never, head);
        else
            redirect(block, head);
        last = head;
    }
    branch_never(e, last, never, block);
}

void cut_blocks(Emit *e)
{
    LlvmBlock never = NULL;
    for (LlvmBlock b = LLVMGetFirstBasicBlock(e->function), next; b; b = next) {
        uint32_t length = length_of(b);
        next = LLVMGetNextBasicBlock(b);
        if (length <= LONG_BLOCK)
            continue;
        if (!never) {
            never = LLVMAppendBasicBlockInContext(e->context, e->function, "never");
            LLVMPositionBuilderAtEnd(e->builder, never);
            LLVMBuildRet(e->builder, const_i32(e, 1));
        }
        cut_block(e, b, never, length / PART);
    }
}
