// SPDX-License-Identifier: Apache-2.0
/*
 * beside.c - words that a lane stores one beside the other.
 *
 * in     stores of x[i], x[i + 1], ... or of fields that follow each other, with nothing
 *        between them that could notice if they happened at once
 * out    Emit.beside: which of them store one vector
 * why    word by word, lanes that are not beside each other take an instruction a lane each
 * knows  places
 * not    how vectors are stored (store.c); loads (runs.c)
 */
#include "emit/llvm/place_priv.h"

#define OPEN 16u                    /* variables with stores that may still go on */

/* Stores of one variable, which nothing has looked at since. */
typedef struct Line {
    Beside *beside;
    Spot    first;
} Line;

typedef struct Lines {
    Emit    *e;
    Line     open[OPEN];
    uint32_t count;
} Lines;

static bool is_word(const Inst *place)
{
    const MemType *mem = place->mem;
    return mem->kind == MEM_VALUE && mem->value.type.width == 1 && mem->value.stride == 4 &&
           mem->value.type.kind != SCALAR_BOOL && !mem->value.atomic;
}

/* An access to a variable that does not belong to its line ends it. */
static void close_line(Lines *l, const IrVar *var)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (ir_place_root(l->open[i].first.parent) != var)
            l->open[left++] = l->open[i];
    l->count = left;
}

static bool goes_on(const Line *line, const Spot *spot)
{
    const Beside *b = line->beside;
    return b->count < WHOLE && spot_compare(&line->first, spot) == 0 &&
           line->first.at + 4 * (int64_t)b->count == spot->at;
}

static void add_store(Lines *l, const Inst *store)
{
    Spot spot;
    bool found = is_word(store->args[0]) && spot_find(&spot, store);
    for (uint32_t i = 0; i < l->count && found; i++) {
        Beside *b = l->open[i].beside;
        if (goes_on(&l->open[i], &spot)) {
            b->store[b->count++] = store;
            l->e->beside[store->id] = b;
            return;
        }
    }
    close_line(l, ir_place_root(store->args[0]));
    if (!found || l->count == OPEN)
        return;
    Beside *b = ARENA_NEW(l->e->arena, Beside);
    *b = (Beside){.store = {store}, .count = 1};
    l->open[l->count++] = (Line){b, spot};
    l->e->beside[store->id] = b;
}

static void survey_region(Emit *e, const Region *region)
{
    Lines l = {.e = e};
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_STORE)
            add_store(&l, inst);
        else if (inst->op == IR_LOAD)
            close_line(&l, ir_place_root(inst->args[0]));
        else if (ir_op_effect((IrOp)inst->op) != EFFECT_PURE)
            l.count = 0;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey_region(e, inst->flow.regions[i]);
    }
}

void beside_survey(Emit *e)
{
    e->beside = ARENA_ARRAY(e->arena, Beside *, e->ir->next_id);
    if (e->lanes > 1)
        survey_region(e, e->ir->body);
}

const Beside *beside_find(Emit *e, const Inst *store, Address *out)
{
    const Beside *b = e->beside[store->id];
    if (!b || b->count < 2 || e->mask || e->strip)
        return NULL;
    for (uint32_t i = b->count; i-- > 0;) {
        *out = address_of(e, b->store[i]->args[0], false);
        if (!address_is_proved(out) || out->viewed || out->align != 4)
            return NULL;
    }
    bool apart = out->shape == ADDRESS_SCATTERED ||
                 (out->shape == ADDRESS_STRIDED && out->lane_stride >= 4 * (int64_t)b->count);
    out->viewed = true;                 /* what follows the last is unknown */
    return apart && !address_is_private(out) ? b : NULL;
}
