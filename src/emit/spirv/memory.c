// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - loads, stores and lengths.
 *
 * in     LOAD, STORE, LENGTH
 * out    one instruction each, unless the memory is one of words, or the driver loads
 *        lane by lane what all lanes load alike
 * not    where a place is (place.c)
 */
#include "emit/spirv/spirv_priv.h"

static const Where *place_of(const Spirv *s, const Inst *inst)
{
    return s->places[inst->args[0]->id];
}

/* ---- loads that are the same in all lanes ---- */

static const Facts *facts_of_subgroups(Spirv *s)
{
    uint32_t lanes = s->target->row_lanes;
    if (!s->subgroups)
        s->subgroups = analysis_run(s->arena, s->ir, lanes, lanes);
    return s->subgroups;
}

/* Are all lanes of a subgroup here together? Then the first is. */
static bool is_together(const Spirv *s, const Facts *f)
{
    for (const Frame *x = s->frame; x; x = x->outer) {
        const Fact *c = &f->of[x->construct->id];
        if (c->divergent || c->apart || c->continues_apart)
            return false;
    }
    return !f->returns_apart;
}

static bool is_same_place(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD
            && (place->op != IR_ELEM || f->of[place->args[1]->id].shape > SHAPE_GROUP))
            return false;
    return place->var->space == IRSPACE_STORAGE || place->var->space == IRSPACE_WORKGROUP;
}

static bool is_in_loop(const Spirv *s)
{
    for (const Frame *x = s->frame; x; x = x->outer)
        if (x->construct->op == IR_LOOP)
            return true;
    return false;
}

/* Outside of loops it would not pay. */
static bool is_for_one_lane(Spirv *s, const Inst *load)
{
    bool words = load->type.kind == SCALAR_I32 || load->type.kind == SCALAR_F32;
    if (!s->target->loads_by_lane || !words || !is_in_loop(s))
        return false;
    const Facts *f = facts_of_subgroups(s);
    return is_same_place(f, load->args[0]) && is_together(s, f);
}

static SpvId is_first_lane(Spirv *s)
{
    if (!s->first_lane) {
        SpvId lane = spv_input_value(s, INPUT_SUBGROUP_LANE);
        s->first_lane = spv_new_id(s);
        spv_put(s, SECTION_HOISTED, SpvOpIEqual,
                OPERANDS(spv_type_value(s, IR_BOOL), s->first_lane, lane, spv_const_u32(s, 0)));
    }
    return s->first_lane;
}

/* The first lane loads and tells the others, in words: the driver cannot tell all kinds
 * of floats. */
static SpvId load_in_one_lane(Spirv *s, const Inst *load, SpvId pointer)
{
    SpvId before = s->block, loads = spv_new_id(s), after = spv_new_id(s);
    SpvId type = spv_type_value(s, load->type);
    SpvId words = spv_type_value(s, as_kind(load->type, SCALAR_I32));
    spv_need(s, SpvCapabilityGroupNonUniform);
    spv_need(s, SpvCapabilityGroupNonUniformBallot);
    spv_selection_merge(s, after);
    spv_branch_if(s, is_first_lane(s), loads, after);
    spv_block_start(s, loads);
    SpvId loaded = spv_op1(s, SpvOpLoad, type, pointer);
    spv_branch(s, after);
    spv_block_start(s, after);
    SpvId v = spv_op_new(s, SpvOpPhi, type, OPERANDS(loaded, loads, spv_undef(s, type), before));
    if (words != type)
        v = spv_op1(s, SpvOpBitcast, words, v);
    v = spv_op3(s, SpvOpGroupNonUniformBroadcast, words, spv_const_u32(s, SpvScopeSubgroup), v,
                spv_const_u32(s, 0));
    return words != type ? spv_op1(s, SpvOpBitcast, type, v) : v;
}

/* ---- loads and stores ---- */

void spv_memory_load(Spirv *s, const Inst *inst)
{
    const Where *p = place_of(s, inst);
    if (!p->pointer)
        s->values[inst->id] = spv_words_load(s, p, inst->args[0]->mem);
    else if (is_for_one_lane(s, inst))
        s->values[inst->id] = load_in_one_lane(s, inst, p->pointer);
    else
        s->values[inst->id] = spv_op1(s, SpvOpLoad, spv_type_value(s, inst->type), p->pointer);
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
