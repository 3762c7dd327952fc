// SPDX-License-Identifier: Apache-2.0
/*
 * spot.c - which words lie beside each other, whatever the lanes' indices are.
 *
 * in     places in arrays, such as x[8*i + 1], s[i].b or s[i].c[2]
 * out    the array, what its index is a sum of, and a constant number of bytes from there
 * knows  that two places with the same array and the same sum are as far from each other
 *        as their constants
 * not    bounds, loads, stores
 */
#include "emit/llvm/place_priv.h"

/* The index as a sum of few; false: of too many. */
static bool add_leaves(Spot *s, const Inst *index)
{
    if (index->op == IR_CONST) {
        s->plus += index->constant.bits[0];
        return true;
    }
    if (index->op == IR_IADD)
        return add_leaves(s, index->args[0]) && add_leaves(s, index->args[1]);
    if (s->nleaves == SPOT_LEAVES)
        return false;
    s->leaves[s->nleaves++] = index;
    return true;
}

/* One of too many, as one leaf and what is added last. */
static void take_sum(Spot *s, const Inst *index)
{
    bool plus = index->op == IR_IADD && index->args[1]->op == IR_CONST;
    s->plus = plus ? index->args[1]->constant.bits[0] : 0;
    s->leaves[0] = plus ? index->args[0] : index;
    s->nleaves = 1;
}

bool spot_is_fixed(const Inst *elem)
{
    const MemType *of = elem->args[0]->mem;
    return elem->args[1]->op == IR_CONST && of->kind == MEM_ARRAY &&
           elem->args[1]->constant.bits[0] < of->array.count;
}

bool spot_find(Spot *s, const Inst *access)
{
    const Inst *place = access->args[0];
    *s = (Spot){.access = access};
    for (; place->op == IR_FIELD || (place->op == IR_ELEM && spot_is_fixed(place));
         place = place->args[0]) {
        const MemType *of = place->args[0]->mem;
        s->inside += (uint32_t)(place->op == IR_FIELD
                                    ? of->structure.fields[place->index].offset
                                    : place->args[1]->constant.bits[0] * of->array.stride);
    }
    if (place->op != IR_ELEM || place->args[0]->mem->kind != MEM_ARRAY)
        return false;
    s->parent = place->args[0];
    uint64_t stride = s->parent->mem->array.stride;
    if (!add_leaves(s, place->args[1]))
        take_sum(s, place->args[1]);
    s->at = (int64_t)(int32_t)s->plus * (int64_t)stride + s->inside;
    return s->nleaves && s->inside < stride;
}

static int order(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

int spot_compare(const Spot *x, const Spot *y)
{
    int by = order(x->parent->id, y->parent->id);
    by = by ? by : order(x->nleaves, y->nleaves);
    for (uint32_t i = 0; !by && i < x->nleaves; i++)
        by = order(x->leaves[i]->id, y->leaves[i]->id);
    return by;
}
