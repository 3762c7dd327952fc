// SPDX-License-Identifier: Apache-2.0
/*
 * stream.c - stores that pass the caches by.
 *
 * in     stores of whole vectors, lane beside lane
 * out    for dispatches of which the caller says so, stores of results that are not
 *        read soon: they need not fetch what they overwrite, and leave the caches to
 *        what is read
 * knows  that x86 machines gather such stores to lines of 64 bytes, want them aligned,
 *        and order them with what comes later only at a fence
 */
#include "emit/llvm/place_priv.h"

#define VECTOR 32u                  /* bytes of the least vector that is worth it  */
#define LINE   64u                  /* the same of one that fills a line at once   */
#define MOST   64u                  /* stores: each is two, in blocks of their own */

static bool is_in_loop(const Inst *inst)
{
    for (const Inst *owner = inst->region->owner; owner; owner = owner->region->owner)
        if (owner->op == IR_LOOP)
            return true;
    return false;
}

bool stream_may(const Emit *e, const Inst *store, const Address *a)
{
    return e->has_stream && a->var->space == IRSPACE_STORAGE && a->align == 4 &&
           (int64_t)e->lanes * a->lane_stride % VECTOR == 0 && !is_in_loop(store) &&
           !e->vars[a->var->id].read && e->streams < MOST;
}

/* Bytes that pointers must be multiples of: of the widest store that lanes fill. */
static uint32_t alignment(const Emit *e, const Address *a)
{
    int64_t bytes = (int64_t)e->lanes * a->lane_stride;
    return 4 * e->facts->native >= LINE && bytes % LINE == 0 ? LINE : VECTOR;
}

/* i1: the caller wants it, and the pointer is a multiple of `align`. */
static LlvmValue is_wanted(Emit *e, LlvmValue pointer, uint32_t align)
{
    LlvmValue bits = LLVMBuildPtrToInt(e->builder, pointer, e->i64, "");
    bits = LLVMBuildAnd(e->builder, bits, const_i64(e, align - 1), "");
    LlvmValue aligned = LLVMBuildICmp(e->builder, LLVMIntEQ, bits, const_i64(e, 0), "");
    return LLVMBuildAnd(e->builder, flag_is_set(e, KERNEL_STREAMS), aligned, "");
}

void stream_store(Emit *e, const Address *a, LlvmValue v, LlvmValue pointer)
{
    LlvmBlock past = block_new(e, "past"), through = block_new(e, "through");
    LlvmBlock after = block_new(e, "stored");
    LLVMMetadataRef one = LLVMValueAsMetadata(const_i32(e, 1));
    uint32_t align = alignment(e, a);
    jump_if(e, is_wanted(e, pointer, align), past, through);
    block_start(e, past);
    LlvmValue store = memory_store_at(e, a, v, pointer);
    LLVMSetAlignment(store, align);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->context, "nontemporal", 11),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &one, 1)));
    jump(e, after);
    block_start(e, through);
    memory_store_at(e, a, v, pointer);
    jump(e, after);
    block_start(e, after);
    e->streams++;
}

void stream_end(Emit *e)
{
    if (e->streams)
        intrinsic(e, "llvm.x86.sse.sfence", NULL, 0, 0, NULL);
}
