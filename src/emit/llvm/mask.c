// SPDX-License-Identifier: Apache-2.0
/*
 * mask.c - which lanes are on, and slots that remember it.
 *
 * in     vectors of one bit a lane; NULL where all lanes are known to be on
 * out    the same combined, asked, chosen by
 * knows  that a mask in a slot is all ones or zero (slot_store)
 * not    why lanes part, or where they meet (construct.c)
 */
#include "emit/llvm/flow_priv.h"

/* ---- masks ---- */

LlvmType mask_type(Emit *e)
{
    return lane_type(e, e->i1);
}

LlvmValue mask_and(Emit *e, LlvmValue x, LlvmValue y)
{
    if (!x)
        return y;
    return y ? LLVMBuildAnd(e->builder, x, y, "") : x;
}

LlvmValue mask_and_not(Emit *e, LlvmValue x, LlvmValue y)
{
    return mask_and(e, x, LLVMBuildNot(e->builder, y, ""));
}

LlvmValue mask_vector(Emit *e)
{
    return e->mask ? e->mask : splat(e, LLVMConstInt(e->i1, 1, false));
}

LlvmValue mask_bits(Emit *e, LlvmValue mask)
{
    if (e->lanes == 1)
        return mask;
    LlvmType bits = LLVMIntTypeInContext(e->context, e->lanes);
    return LLVMBuildBitCast(e->builder, mask, bits, "");
}

LlvmValue mask_has(Emit *e, LlvmValue mask, uint32_t lane)
{
    LlvmValue bits = mask_bits(e, mask);
    if (e->lanes == 1)
        return bits;
    LlvmValue bit = LLVMConstInt(LLVMTypeOf(bits), 1ull << lane, false);
    bits = LLVMBuildAnd(e->builder, bits, bit, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

bool mask_may_have(LlvmValue mask, uint32_t lane)
{
    LlvmValue bit = LLVMGetAggregateElement(mask, lane);
    return !LLVMIsAConstantInt(bit) || LLVMConstIntGetZExtValue(bit);
}

LlvmValue mask_any(Emit *e, LlvmValue mask)
{
    LlvmValue bits = mask_bits(e, mask);
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LlvmValue mask_all(Emit *e, LlvmValue mask)
{
    LlvmValue bits = mask_bits(e, mask);
    return LLVMBuildICmp(e->builder, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)),
                         "");
}

LlvmValue blend(Emit *e, LlvmValue mask, LlvmValue yes, LlvmValue no)
{
    return mask ? LLVMBuildSelect(e->builder, mask, yes, no, "") : yes;
}

void mask_go_on_if_any(Emit *e, LlvmBlock otherwise)
{
    LlvmBlock on = block_new(e, "some");
    jump_if(e, mask_any(e, e->mask), on, otherwise);
    block_start(e, on);
}

/* ---- slots ---- */

LlvmValue mask_slot_take(Emit *e)
{
    return slot_take(e, mask_type(e));
}

LlvmValue mask_slot_load(Emit *e, LlvmValue slot)
{
    return slot_load(e, mask_type(e), slot);
}

void mask_slot_clear(Emit *e, LlvmValue slot)
{
    slot_store(e, slot, LLVMConstNull(mask_type(e)));
}

void mask_slot_add(Emit *e, LlvmValue slot, LlvmValue mask)
{
    LlvmValue more = mask ? mask : mask_vector(e);
    LlvmValue all = LLVMBuildOr(e->builder, mask_slot_load(e, slot), more, "");
    slot_store(e, slot, all);
}
