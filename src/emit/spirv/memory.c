// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - loads, stores and lengths.
 *
 * in     LOAD, STORE, LENGTH
 * out    one instruction each, unless the memory is one of words
 * not    where a place is (place.c)
 */
#include "emit/spirv/spirv_priv.h"

static const Where *place_of(const Spirv *s, const Inst *inst)
{
    return s->places[inst->args[0]->id];
}

void spv_memory_load(Spirv *s, const Inst *inst)
{
    const Where *p = place_of(s, inst);
    s->values[inst->id] =
        p->pointer ? spv_op1(s, SpvOpLoad, spv_type_value(s, inst->type), p->pointer)
                   : spv_words_load(s, p, inst->args[0]->mem);
}

void spv_memory_store(Spirv *s, const Inst *inst)
{
    const Where *p = place_of(s, inst);
    SpvId v = spv_value(s, inst->args[1]);
    if (p->pointer)
        spv_put(s, SECTION_CODE, SpvOpStore, OPERANDS(p->pointer, v));
    else
        spv_words_store(s, p, inst->args[0]->mem, v);
}

/* Bytes behind a place in memory of words. */
static SpvId bytes_behind(Spirv *s, const Where *p)
{
    SpvId u32 = spv_type_u32(s);
    const MemType *mem = p->var->type;
    SpvId bytes = mem->kind == MEM_BYTES && mem->size
                      ? spv_const_u32(s, (uint32_t)mem->size)
                      : spv_place_length(s, p->var);
    SpvId before = spv_const_u32(s, (uint32_t)p->offset);
    if (p->dynamic)
        before = spv_op2(s, SpvOpIAdd, u32, p->dynamic, before);
    else if (p->offset == 0)
        return bytes;
    return spv_op2(s, SpvOpISub, u32, bytes,
                   spv_glsl2(s, GLSLstd450UMin, u32, before, bytes));
}

void spv_memory_length(Spirv *s, const Inst *inst)
{
    const Where *p = place_of(s, inst);
    const MemType *mem = inst->args[0]->mem;
    if (p->var->type->kind != MEM_BYTES) {
        s->values[inst->id] = spv_place_length(s, p->var);
        return;
    }
    SpvId bytes = bytes_behind(s, p);
    s->values[inst->id] = mem->kind != MEM_ARRAY
                              ? bytes
                              : spv_op2(s, SpvOpUDiv, spv_type_u32(s), bytes,
                                        spv_const_u32(s, mem->array.stride));
}
