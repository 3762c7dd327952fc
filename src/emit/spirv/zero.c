// SPDX-License-Identifier: Apache-2.0
/*
 * zero.c - memory starts with zeros, where the driver does not see to it, or not well.
 *
 * in     WORKGROUP variables whose first contents are read; large PRIVATE ones
 * out    stores of zeros, those of a workgroup shared out among the invocations, and a
 *        barrier then
 *
 * Every scalar or vector of a type is reached by a path of members and of indices of
 * arrays. Each path becomes one loop over all its indices together.
 */
#include "emit/spirv/spirv_priv.h"

#define FEW 256u                    /* bytes that may be stored one by one        */

typedef struct Step {
    uint32_t member;                /* of a structure                             */
    uint32_t count;                 /* of an array; 0: a structure                */
} Step;

typedef struct Path {
    const IrVar *var;
    VEC(Step) steps;
    uint32_t total;                 /* product of the counts                      */
    uint32_t sharers;               /* invocations that store them                */
    SpvId    first;                 /* what the invocation begins with            */
} Path;

/* Splits `i` into the indices of the path, the last one fastest. */
static void store_zero(Spirv *s, const Path *p, SpvId type, SpvId i)
{
    const VarState *v = spv_var_state(s, p->var);
    SpvId u32 = spv_type_u32(s),
          *operands = ARENA_ARRAY(s->arena, SpvId, p->steps.len + 1);
    uint32_t left = p->total;
    operands[0] = v->id;
    for (uint32_t k = p->steps.len; k-- > 0;) {
        const Step *step = &p->steps.data[k];
        operands[1 + k] = step->count ? i : spv_const_u32(s, step->member);
        if (!step->count || (left /= step->count) <= 1)
            continue;
        operands[1 + k] = spv_op2(s, SpvOpUMod, u32, i, spv_const_u32(s, step->count));
        i = spv_op2(s, SpvOpUDiv, u32, i, spv_const_u32(s, step->count));
    }
    SpvId pointer = v->id;
    if (p->steps.len)
        pointer = spv_op_new(s, SpvOpAccessChain, spv_type_pointer(s, v->storage, type),
                             p->steps.len + 1, operands);
    spv_put(s, SECTION_CODE, SpvOpStore, OPERANDS(pointer, spv_const_null(s, type)));
}

/* The first `total` invocations store one element each. */
static void store_once(Spirv *s, const Path *p, SpvId type)
{
    SpvId yes = spv_new_id(s), after = spv_new_id(s);
    SpvId mine = spv_op2(s, SpvOpULessThan, spv_type_value(s, IR_BOOL), p->first,
                         spv_const_u32(s, p->total));
    spv_selection_merge(s, after);
    spv_branch_if(s, mine, yes, after);
    spv_block_start(s, yes);
    store_zero(s, p, type, p->first);
    spv_branch(s, after);
    spv_block_start(s, after);
}

static void store_in_turn(Spirv *s, const Path *p, SpvId type)
{
    SpvId head = spv_new_id(s), test = spv_new_id(s), body = spv_new_id(s),
          again = spv_new_id(s);
    SpvId after = spv_new_id(s), before = s->block, u32 = spv_type_u32(s),
          next = spv_new_id(s);
    spv_branch(s, head);
    spv_block_start(s, head);
    SpvId i = spv_op_new(s, SpvOpPhi, u32, OPERANDS(p->first, before, next, again));
    spv_put(s, SECTION_CODE, SpvOpLoopMerge,
            OPERANDS(after, again, SpvLoopControlMaskNone));
    spv_branch(s, test);
    spv_block_start(s, test);
    SpvId more = spv_op2(s, SpvOpULessThan, spv_type_value(s, IR_BOOL), i,
                         spv_const_u32(s, p->total));
    spv_branch_if(s, more, body, after);
    spv_block_start(s, body);
    store_zero(s, p, type, i);
    spv_branch(s, again);
    spv_block_start(s, again);
    spv_put(s, SECTION_CODE, SpvOpIAdd,
            OPERANDS(u32, next, i, spv_const_u32(s, p->sharers)));
    spv_branch(s, head);
    spv_block_start(s, after);
}

static void zero_leaf(Spirv *s, const Path *p, SpvId type)
{
    if (p->total == p->sharers)
        store_zero(s, p, type, p->first);
    else if (p->total < p->sharers)
        store_once(s, p, type);
    else
        store_in_turn(s, p, type);
}

static void zero_array(Spirv *s, Path *p, const MemType *of, uint64_t count);

static void zero_part(Spirv *s, Path *p, const MemType *mem)
{
    if (mem->kind == MEM_VALUE) {
        zero_leaf(s, p, spv_type_value(s, mem->value.type));
        return;
    }
    if (mem->kind == MEM_ARRAY) {
        zero_array(s, p, mem->array.of, mem->array.count);
        return;
    }
    for (uint32_t i = 0; i < mem->structure.count; i++) {
        VEC_PUSH(s->arena, &p->steps, ((Step){.member = i}));
        zero_part(s, p, mem->structure.fields[i].type);
        p->steps.len--;
    }
}

/* `of` NULL: of words. */
static void zero_array(Spirv *s, Path *p, const MemType *of, uint64_t count)
{
    uint32_t before = p->total;
    if (count > UINT32_MAX / MAX_OF(before, 1u)) {
        s->too_large = true;
        return;
    }
    VEC_PUSH(s->arena, &p->steps, ((Step){.count = (uint32_t)count}));
    p->total *= (uint32_t)count;
    if (of)
        zero_part(s, p, of);
    else
        zero_leaf(s, p, spv_type_u32(s));
    p->steps.len--;
    p->total = before;
}

static void zero_variable(Spirv *s, const IrVar *var, uint32_t sharers, SpvId first)
{
    Path p = {.var = var, .total = 1, .sharers = sharers, .first = first};
    if (var->type->kind == MEM_BYTES)
        zero_array(s, &p, NULL, (var->type->size + 3) / 4);
    else
        zero_part(s, &p, var->type);
}

bool spv_zero_is_code(const Spirv *s, const IrVar *var)
{
    return var->space == IRSPACE_PRIVATE && s->target->unrolls_zeros && var->type->size > FEW;
}

void spv_zero_private(Spirv *s)
{
    for (uint32_t i = 0; i < s->ir->vars.len; i++)
        if (spv_zero_is_code(s, s->ir->vars.data[i]))
            zero_variable(s, s->ir->vars.data[i], 1, spv_const_u32(s, 0));
}

void spv_zero_workgroup(Spirv *s)
{
    const uint32_t *size = s->ir->workgroup_size;
    bool any = false;
    for (uint32_t i = 0; i < s->ir->vars.len; i++) {
        const IrVar *var = s->ir->vars.data[i];
        if (!s->zeros[var->id])
            continue;
        zero_variable(s, var, size[0] * size[1] * size[2],
                      spv_input_value(s, INPUT_LOCAL_INDEX));
        any = true;
    }
    if (any)
        spv_barrier(s, BARRIER_WORKGROUP);
}
