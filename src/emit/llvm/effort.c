// SPDX-License-Identifier: Apache-2.0
/*
 * effort.c - how much LLVM does for a module, by its size.
 *
 * in     a module before LLVM's passes
 * out    the passes to run, and a level of code generation
 * why    some passes take time with the square of the loops or blocks of a function;
 *        they run only where that is little
 * not    what the passes do to kernels
 */
#include "emit/llvm/target_priv.h"

#include <llvm/Config/llvm-config.h>

/* By default this pass, asked for by name, aborts the process if one round of it
 * leaves something to combine. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>,"
#else
#define COMBINE "instcombine,"
#endif

/* What pays for whole-lane code: slots become registers, invariants leave loops,
 * small constant loops are unrolled. LLVM's own vectorisers have nothing to do, and
 * each further pass costs more than it gains. */
static const char all_passes[] =
    "function(sroa,early-cse<memssa>,simplifycfg," COMBINE
    "loop-mssa(loop-rotate,licm),loop(indvars,loop-unroll-full),"
    "sroa,gvn," COMBINE "adce,simplifycfg)";
/* Without those that look at most of the function for each loop. */
static const char large_passes[] =
    "function(sroa,early-cse<memssa>,simplifycfg," COMBINE
    "loop-mssa(loop-rotate,licm),gvn<no-memdep>," COMBINE "adce,simplifycfg)";
/* About linear. */
static const char huge_passes[] =
    "function(sroa,early-cse,simplifycfg," COMBINE "adce,simplifycfg)";
/* What pays for itself in less to generate. */
static const char quick_passes[] = "function(sroa)";

#define LARGE_BLOCKS 400u
#define HUGE_BLOCKS  1500u
#define LARGE_SIZE   15000u         /* instructions                               */
#define HUGE_SIZE    30000u
#define HUGE_BLOCK   10000u         /* of one block: there code that is made linearly is
                                       as fast as other                           */

/* At the level None machine code is made block by block, by passes that are linear. */
#if LLVM_VERSION_MAJOR >= 18
#define LEVEL_LINEAR LLVMCodeGenLevelNone
#else
#define LEVEL_LINEAR LLVMCodeGenLevelLess   /* the fast selector cannot be turned off */
#endif

/* Instructions that take LLVM some ten seconds. */
#define MOST_SIZE 1000000u
/* Of all that a compilation has at once: the IR, what is known of it, LLVM's module. */
#define MOST_MB           960u
#define INSTRUCTION_BYTES 200u

/* Why no more is emitted, or NULL. */
static const char *excess(const Emit *e)
{
    uint64_t bytes = e->ir->arena->used + e->arena->used + e->emitted * INSTRUCTION_BYTES;
    if (e->emitted > MOST_SIZE)
        return "becomes more than 1000000 machine instructions";
    return bytes >> 20 > MOST_MB ? "takes more than 1 GB of memory to compile" : NULL;
}

void effort_charge(Emit *e)
{
    LlvmValue last = LLVMGetLastInstruction(LLVMGetInsertBlock(e->builder));
    for (LlvmValue i = last; i && i != e->charged; i = LLVMGetPreviousInstruction(i))
        e->emitted++;
    e->charged = last;
    const char *what = excess(e);
    if (!what)
        return;
    emit_fail(e, "the kernel '%.*s' %s for %u lanes: split it into several kernels, "
              "or call large functions in a loop rather than from many places",
              STR_ARG(e->ir->name), what, e->lanes);
    arena_give_up(e->arena);
}

typedef struct Size {
    uint64_t blocks, instructions, longest;
} Size;

static Size size_of(const Emit *e)
{
    Size n = {0};
    for (LlvmValue fn = LLVMGetFirstFunction(e->module); fn; fn = LLVMGetNextFunction(fn))
        for (LlvmBlock b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
            uint64_t length = 0;
            for (LlvmValue i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                length++;
            n.blocks++;
            n.instructions += length;
            n.longest = MAX_OF(n.longest, length);
        }
    return n;
}

Effort effort_for(const Emit *e)
{
    Size n = size_of(e);
    if (e->options->quick)
        return (Effort){quick_passes, LEVEL_LINEAR};
    if (n.blocks > HUGE_BLOCKS || n.instructions > HUGE_SIZE || n.longest > HUGE_BLOCK)
        return (Effort){huge_passes, LEVEL_LINEAR};
    if (n.blocks > LARGE_BLOCKS || n.instructions > LARGE_SIZE)
        return (Effort){large_passes, LLVMCodeGenLevelDefault};
    return (Effort){all_passes, LLVMCodeGenLevelDefault};
}
