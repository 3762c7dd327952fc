// SPDX-License-Identifier: Apache-2.0
/*
 * place.c - places, and their bounds.
 *
 * in     VAR, FIELD, ELEM, VIEW
 * out    pointers (OpAccessChain) or, in memory of words, offsets in bytes
 * knows  layouts, what is proved of indices, what the driver keeps in bounds
 * not    loads and stores
 *
 * An index that is not proved is clamped to the last element. The driver's robust
 * access makes that needless for runtime-sized arrays only: the index into a fixed
 * one must be right in SPIR-V, and clamping it with a constant costs little.
 */
#include "emit/spirv/spirv_priv.h"

static bool is_words(const VarState *v)
{
    return v->form == VAR_WORDS || v->form == VAR_QUADS;
}

/* ---- lengths ---- */

/* The runtime-sized array of a variable, and where it starts. */
static const MemType *runtime_array(const IrVar *var, uint32_t *offset)
{
    const MemType *mem = var->type;
    *offset = 0;
    if (mem->kind == MEM_STRUCT) {
        const MemField *last = &mem->structure.fields[mem->structure.count - 1];
        *offset = last->offset;
        mem = last->type;
    }
    return mem;
}

static SpvId hoisted(Spirv *s, SpvOp op, uint32_t n, const uint32_t *operands)
{
    uint32_t words[5] = {spv_type_u32(s), spv_new_id(s)};
    for (uint32_t i = 0; i < n; i++)
        words[2 + i] = operands[i];
    spv_put(s, SECTION_HOISTED, op, n + 2, words);
    return words[1];
}

static SpvId hoisted2(Spirv *s, SpvOp op, SpvId x, SpvId y)
{
    return hoisted(s, op, OPERANDS(x, y));
}

/* Of words: their bytes, without what is before, over the step. */
static SpvId length_in_words(Spirv *s, const IrVar *var, SpvId words)
{
    uint32_t offset;
    const MemType *mem = runtime_array(var, &offset);
    SpvId bytes = hoisted2(s, SpvOpIMul, words, spv_const_u32(s, 4));
    if (mem->kind == MEM_BYTES)
        return bytes;
    bytes = hoisted2(s, SpvOpISub, bytes, spv_const_u32(s, offset));
    return hoisted2(s, SpvOpUDiv, bytes, spv_const_u32(s, mem->array.stride));
}

SpvId spv_place_length(Spirv *s, const IrVar *var)
{
    VarState *v = spv_var_state(s, var);
    if (v->length)
        return v->length;
    uint32_t member = v->form == VAR_BLOCK ? var->type->structure.count - 1 : 0;
    v->length = hoisted(s, SpvOpArrayLength, OPERANDS(v->id, member));
    if (is_words(v))
        v->length = length_in_words(s, var, v->length);
    return v->length;
}

static SpvId last_element(Spirv *s, const IrVar *var)
{
    VarState *v = spv_var_state(s, var);
    if (!v->last)
        v->last = hoisted2(s, SpvOpISub, spv_place_length(s, var), spv_const_u32(s, 1));
    return v->last;
}

/* ---- indices ---- */

static uint64_t element_count(const MemType *mem)
{
    return mem->kind == MEM_ARRAY ? mem->array.count : mem->value.type.width;
}

static bool is_robust(const Spirv *s, const IrVar *var)
{
    return var->space == IRSPACE_STORAGE ? s->target->robust_storage
                                         : s->target->robust_uniform;
}

static bool is_proved(const Spirv *s, const Inst *elem, const IrVar *var)
{
    uint64_t count = element_count(elem->args[0]->mem);
    const Fact *index = &s->facts->of[elem->args[1]->id];
    if (elem->in_bounds || s->facts->of[elem->id].in_bounds)
        return true;
    return count ? index->high < count
                 : is_robust(s, var) && !is_words(spv_var_state(s, var));
}

static SpvId bounded_index(Spirv *s, const Inst *elem, const IrVar *var)
{
    const Inst *index = elem->args[1];
    uint64_t count = element_count(elem->args[0]->mem);
    if (index->op == IR_CONST && count)
        return spv_const_u32(s, (uint32_t)MIN_OF(index->constant.bits[0], count - 1));
    if (is_proved(s, elem, var))
        return spv_value(s, index);
    SpvId last = count ? spv_const_u32(s, (uint32_t)(count - 1)) : last_element(s, var);
    return spv_glsl2(s, GLSLstd450UMin, spv_type_u32(s), spv_value(s, index), last);
}

/* ---- chains ---- */

static Where *place_new(Spirv *s, const Inst *inst, const Where *of)
{
    Where *p = ARENA_NEW(s->arena, Where);
    if (of)
        *p = *of;
    p->pointer = 0;
    s->places[inst->id] = p;
    return p;
}

static void add_index(Spirv *s, Where *p, SpvId index)
{
    SpvId *indices = ARENA_ARRAY(s->arena, SpvId, p->nindices + 1);
    for (uint32_t i = 0; i < p->nindices; i++)
        indices[i] = p->indices[i];
    indices[p->nindices++] = index;
    p->indices = indices;
}

static void add_bytes(Spirv *s, Where *p, SpvId bytes)
{
    p->dynamic =
        p->dynamic ? spv_op2(s, SpvOpIAdd, spv_type_u32(s), p->dynamic, bytes) : bytes;
}

static void step_in_words(Spirv *s, Where *p, const Inst *inst)
{
    const MemType *of = inst->args[0]->mem;
    if (inst->op == IR_FIELD) {
        p->offset += of->structure.fields[inst->index].offset;
        return;
    }
    if (inst->op == IR_VIEW) {
        add_bytes(s, p, spv_value(s, inst->args[1]));
        return;
    }
    uint32_t stride = of->kind == MEM_ARRAY ? of->array.stride : of->value.stride;
    const Inst *index = inst->args[1];
    if (index->op == IR_CONST && index->constant.bits[0] < element_count(of)) {
        p->offset += (uint64_t)index->constant.bits[0] * stride;
        return;
    }
    SpvId i = bounded_index(s, inst, p->var);
    add_bytes(s, p, spv_op2(s, SpvOpIMul, spv_type_u32(s), i, spv_const_u32(s, stride)));
}

static void put_pointer(Spirv *s, const Inst *inst, Where *p)
{
    const VarState *v = spv_var_state(s, p->var);
    if (!s->accessed[inst->id] || is_words(v))
        return;
    if (p->nindices == 0) {
        p->pointer = v->id;
        return;
    }
    SpvId *operands = ARENA_ARRAY(s->arena, SpvId, p->nindices + 1);
    operands[0] = v->id;
    for (uint32_t i = 0; i < p->nindices; i++)
        operands[1 + i] = p->indices[i];
    SpvId type =
        spv_type_pointer(s, v->storage, spv_type_value(s, inst->mem->value.type));
    p->pointer = spv_op_new(s, SpvOpAccessChain, type, p->nindices + 1, operands);
}

void spv_place_inst(Spirv *s, const Inst *inst)
{
    Where *p =
        place_new(s, inst, inst->op == IR_VAR ? NULL : s->places[inst->args[0]->id]);
    if (inst->op == IR_VAR)
        p->var = inst->var;
    const VarState *v = spv_var_state(s, p->var);
    if (inst->op == IR_VAR && v->form == VAR_WRAPPED)
        add_index(s, p, spv_const_u32(s, 0));
    else if (inst->op != IR_VAR && is_words(v))
        step_in_words(s, p, inst);
    else if (inst->op == IR_FIELD)
        add_index(s, p, spv_const_u32(s, inst->index));
    else if (inst->op == IR_ELEM)
        add_index(s, p, bounded_index(s, inst, p->var));
    else
        BUG_IF(inst->op == IR_VIEW, "a view of what is not opaque");
    put_pointer(s, inst, p);
}
