// SPDX-License-Identifier: Apache-2.0
/*
 * slots.c - the parameters and results of a construct, on their way into it and out.
 *
 * in     values that lanes bring along
 * out    the same in slots, in the form that the parameter or result is kept in; from
 *        there values again
 * knows  shapes; that at a meeting point lanes that are off keep what they had
 * not    who comes, and from where (construct.c, wide.c)
 */
#include "emit/llvm/flow_priv.h"

/* Component c of parameter or result i, on one side. */
static size_t slot_index(uint32_t i, uint32_t c, uint32_t side)
{
    return ((size_t)i * 4 + c) * MAX_JAM + side;
}

static LlvmValue *slot_table(Emit *e, uint32_t n)
{
    return ARENA_ARRAY(e->arena, LlvmValue, ((size_t)n * 4 + 1) * MAX_JAM);
}

LlvmValue *slots_new(Emit *e, Inst *const *insts, uint32_t n)
{
    LlvmValue *slots = slot_table(e, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < insts[i]->type.width; c++)
            for (uint32_t k = 0; k < side_count(e, insts[i]); k++)
                slots[slot_index(i, c, k)] = slot_take(e, value_type(e, insts[i]));
    return slots;
}

void slots_free(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < insts[i]->type.width; c++)
            for (uint32_t k = 0; k < side_count(e, insts[i]); k++)
                slot_free(e, slots[slot_index(i, c, k)]);
}

void slots_clear(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < insts[i]->type.width; c++)
            for (uint32_t k = 0; k < side_count(e, insts[i]); k++)
                LLVMBuildStore(e->builder, LLVMConstNull(slot_type(e, value_type(e, insts[i]))),
                               slots[slot_index(i, c, k)]);
}

void slots_load(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++)
                set_value(e, insts[i], c, slot_load(e, value_type(e, insts[i]),
                                                    slots[slot_index(i, c, k)]));
        }
        side_set(e, 0);
        context_keep(e, insts[i]);
    }
}

/* Component c of `arg` in the form that `as` (a parameter or result) is kept. For
 * what the whole workgroup shares, any lane may speak. */
static LlvmValue in_form_of(Emit *e, const Inst *as, const Inst *arg, uint32_t c)
{
    if (whole_is(e, as))
        return whole_piece(e, arg, c);
    if (shape_of(e, as) == SHAPE_VARYING)
        return as_lanes(e, arg, c);
    if (shape_of(e, arg) == SHAPE_VARYING)
        return lane_get(e, as_lanes(e, arg, c), 0);
    return as_scalar(e, arg, c);
}

/* All values are read before any is written: parameters may swap. */
void slots_give(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                const LlvmValue *slots, LlvmValue meet)
{
    LlvmValue *values = slot_table(e, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++)
                values[slot_index(i, c, k)] = in_form_of(e, insts[i], args[i], c);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++) {
                size_t at = slot_index(i, c, k);
                LlvmValue v = values[at];
                LlvmValue slot = slots ? slots[at] : context_given_slot(e, insts[i], c);
                if (meet && shape_of(e, insts[i]) == SHAPE_VARYING)
                    v = blend(e, whole_is(e, insts[i]) ? whole_lanes(e, meet, c) : meet, v,
                              slot_load(e, LLVMTypeOf(v), slot));
                slot_store(e, slot, v);
            }
        }
    side_set(e, 0);
}

void slots_give_wide(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                     LlvmValue meet)
{
    Inst **to = ARENA_ARRAY(e->arena, Inst *, n + 1);
    Inst **from = ARENA_ARRAY(e->arena, Inst *, n + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!context_has(e, insts[i], args[i])) {
            to[count] = insts[i];
            from[count++] = args[i];
        }
    slots_give(e, to, count, from, NULL, meet);
}
