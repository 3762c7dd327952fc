// SPDX-License-Identifier: Apache-2.0
/*
 * split.c - elementwise kernels on tensors that are larger than a binding may be.
 *
 * in     a built Group without a core, collapsed
 * out    several steps over parts of the first axis, each binding only what it reads and writes
 * not    what reads all of a large tensor for each row of the result: parts.c; reductions
 *        (reduce.c)
 */
#include "tensor/plan_priv.h"

#include <string.h>

/* Elements from the first to the last that an access touches over the group's domain. */
static void access_reach(int64_t *low, int64_t *high, const Group *g, const Access *a)
{
    *low = *high = a->offset;
    for (uint32_t d = 0; d < g->rank; d++) {
        int64_t reach = a->stride[d] * ((int64_t)g->size[d] - 1);
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

/* Bytes of the tensor behind binding b as it is bound without parts. */
static uint64_t bind_whole(const Group *g, uint32_t b)
{
    const Slot *slot = &g->binds[b].slot;
    uint64_t    start, end;
    if (slot->kind == SLOT_NODE)
        return weft_tensor_bytes(g->graph->nodes[slot->index]);
    leaf_range(&start, &end, g->graph->leaves[slot->index]);
    return end - start;
}

/* Bytes of binding b that the group's loads touch; indexed operators read all of it. */
static void bind_reach(uint64_t *start, uint64_t *end, const Group *g, uint32_t b)
{
    uint64_t unit = weft_dtype_bytes(g->binds[b].dtype, 1);
    uint64_t align = MAX_OF(g->graph->s->offset_align, 8u);
    int64_t  low = INT64_MAX, high = 0, l, h;
    if (dtype_is_block(g->binds[b].dtype)) {        /* always whole */
        *start = 0;
        *end = bind_whole(g, b);
        return;
    }
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        if (v->kind == VALUE_LOAD && v->bind == b) {
            access_reach(&l, &h, g, &v->access);
            low = MIN_OF(low, l);
            high = MAX_OF(high, h);
        }
        for (uint32_t k = 0; v->kind == VALUE_INDEXED && k < v->of->input_count; k++) {
            if (v->binds[k] != b)
                continue;
            low = 0;
            high = MAX_OF(high, (int64_t)tensor_root(v->of->inputs[k])->count);
        }
    }
    low = low == INT64_MAX ? 0 : low;
    *start = (uint64_t)low * unit / align * align;
    *end = ((uint64_t)(high + 1) * unit + 3) & ~UINT64_C(3);
}

static uint64_t out_bytes(const Group *g, uint32_t i)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < g->rank; d++)
        n *= g->size[d];
    return weft_dtype_bytes((weft_dtype)g->graph->nodes[g->outputs[i]]->dtype, n);
}

/* Whether what the group touches fits the limit. */
static bool parts_fit(const Group *g)
{
    uint64_t limit = g->graph->s->binding_limit, start, end;
    for (uint32_t i = 0; i < g->output_count; i++)
        if (out_bytes(g, i) + MAX_OF(g->graph->s->offset_align, 8u) > limit)
            return false;
    for (uint32_t b = 0; b < g->bind_count; b++) {
        bind_reach(&start, &end, g, b);
        if (end - start > limit)
            return false;
    }
    return true;
}

bool group_fits_bindings(const Group *g)
{
    for (uint32_t b = 0; b < g->bind_count; b++)
        if (bind_whole(g, b) > g->graph->s->binding_limit)
            return false;
    return parts_fit(g);
}

/* The group over rows [from, to) of the first axis. */
static void part_of(Group *part, const Group *g, uint64_t from, uint64_t to, Slot *outs)
{
    uint64_t align = MAX_OF(g->graph->s->offset_align, 8u), row = 1;
    *part = *g;
    part->size[0] = to - from;
    for (uint32_t i = 0; i < g->value_count; i++) {
        Value *v = &part->values[i];
        v->access.offset += (int64_t)from * v->access.stride[0];
        if (v->kind != VALUE_INDEXED)
            continue;
        v->coord = arena_copy(g->arena, v->coord, MAX_RANK * sizeof *v->coord);
        for (uint32_t j = 0; j < v->of->rank; j++)
            v->coord[j].offset += (int64_t)from * v->coord[j].stride[0];
    }
    for (uint32_t d = 1; d < g->rank; d++)
        row *= g->size[d];
    for (uint32_t b = 0; b < g->bind_count; b++) {
        uint64_t start, end, unit = weft_dtype_bytes(g->binds[b].dtype, 1);
        bind_reach(&start, &end, part, b);
        part->binds[b].slot.start = start - (uint64_t)g->binds[b].offset * unit;
        part->binds[b].slot.size = end - start;
        part->binds[b].offset = unit ? (int64_t)(start / unit) : 0;
    }
    for (uint32_t i = 0; i < g->output_count; i++) {
        uint64_t unit = weft_dtype_bytes((weft_dtype)g->graph->nodes[g->outputs[i]]->dtype, 1);
        uint64_t first = from * row * unit, start = first / align * align;
        outs[i] = (Slot){.kind = SLOT_NODE, .index = g->outputs[i], .start = start,
                         .size = ((to * row * unit + 3) & ~UINT64_C(3)) - start};
        part->out_shift[i] = (int64_t)((first - start) / unit);
    }
}

bool fuse_split_domain(Planner *p, Group *g, const Slot *whole)
{
    Slot     outs[8] = {{0}};
    Group   *part = ARENA_NEW(p->arena, Group);
    uint64_t n = g->rank ? g->size[0] : 1;
    /* Whole words of packed results: parts are multiples of 256 elements. */
    uint64_t step = g->rank == 1 ? 256 : 1, rows = n;
    bool     fits = parts_fit(g);
    while (!fits && rows > step) {
        rows = (rows / 2 + step - 1) / step * step;
        part_of(part, g, 0, MIN_OF(rows, n), outs);
        fits = parts_fit(part);
    }
    bool packed = store_pack(p->graph->s, (weft_dtype)p->graph->nodes[g->root]->dtype) > 1;
    if (!fits || (packed && g->rank > 1))
        return fuse_domain(p, g, whole);
    for (uint64_t from = 0; from < n; from += rows) {
        part_of(part, g, from, MIN_OF(from + rows, n), outs);
        if (!fuse_domain(p, part, outs))
            return false;
    }
    return true;
}
