// SPDX-License-Identifier: Apache-2.0
/*
 * set.c - graphs of one instance each, grouped by topology.
 *
 * in     graphs with the blocks and data of one instance
 * out    a batch for each topology
 * knows  signature.c, weft/grad.h
 * not    kernels
 */
#include <stdlib.h>
#include <string.h>

#include "grad/graph_priv.h"

typedef struct Topology {
    uint8_t          hash[32];
    weft_grad_graph *graph;         /* canonical; belongs to the context                    */
    VEC(uint32_t)    index;         /* [members][blocks]                                    */
    VEC(double)      data;          /* [members][data]                                      */
    VEC(uint32_t)    members;
} Topology;

struct weft_grad_set {
    weft_context *ctx;
    Arena         arena;
    VEC(Topology) topologies;
    uint32_t      added;
};

weft_grad_set *weft_grad_set_create(weft_context *ctx)
{
    weft_grad_set *set = ctx ? calloc(1, sizeof *set) : NULL;
    if (!set) {
        context_fail(ctx, ctx ? WEFT_ERROR_MEMORY : WEFT_ERROR_INVALID, "no memory for a set");
        return NULL;
    }
    set->ctx = weft_context_retain(ctx);
    arena_init(&set->arena, 0);
    return set;
}

void weft_grad_set_release(weft_grad_set *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; i < set->topologies.len; i++)
        weft_grad_graph_release(set->topologies.data[i].graph);
    arena_fini(&set->arena);
    weft_context_release(set->ctx);
    free(set);
}

static Topology *find(weft_grad_set *set, const Canon *canon)
{
    for (uint32_t i = 0; i < set->topologies.len; i++) {
        Topology *t = &set->topologies.data[i];
        if (memcmp(t->hash, canon->hash, 32) == 0 && canon_equal(t->graph, canon->graph))
            return t;
    }
    Topology t = {.graph = weft_grad_graph_retain(canon->graph)};
    t.graph->ctx = weft_context_retain(set->ctx);
    memcpy(t.hash, canon->hash, 32);
    VEC_PUSH(&set->arena, &set->topologies, t);
    return &set->topologies.data[set->topologies.len - 1];
}

/* Blocks and data in canonical order. */
static void add_member(weft_grad_set *set, Topology *t, const weft_grad_graph *graph,
                       const Canon *canon, const uint32_t *index, const double *data)
{
    uint32_t blocks = t->graph->blocks.len, numbers = t->graph->data.len;
    uint32_t first = t->index.len, at = t->data.len;
    for (uint32_t i = 0; i < blocks; i++)
        VEC_PUSH(&set->arena, &t->index, 0u);
    for (uint32_t i = 0; i < numbers; i++)
        VEC_PUSH(&set->arena, &t->data, 0.0);
    for (uint32_t b = 0; b < graph->blocks.len; b++)
        if (canon->block[b] != NODE_NONE)
            t->index.data[first + canon->block[b]] = index[b];
    for (uint32_t d = 0; data && d < graph->data.len; d++)
        if (canon->data[d] != NODE_NONE)
            t->data.data[at + canon->data[d]] = data[d];
    VEC_PUSH(&set->arena, &t->members, set->added++);
}

bool weft_grad_set_add(weft_grad_set *set, weft_grad_graph *graph, const uint32_t *index,
                       const double *data)
{
    Canon canon;
    if (!set || !graph)
        return false;
    if (graph->ctx != set->ctx)
        return context_fail(set->ctx, WEFT_ERROR_INVALID,
                            "%s: the graph belongs to another context", graph->label);
    if (!grad_complete(graph))
        return false;
    if ((!index && graph->blocks.len > 0) || (!data && graph->data.len > 0))
        return context_fail(set->ctx, WEFT_ERROR_INVALID, "%s: the index or the data is NULL",
                            graph->label);
    if (!canon_make(&canon, graph))
        return false;
    Topology *t = find(set, &canon);
    add_member(set, t, graph, &canon, index, data);
    weft_grad_graph_release(canon.graph);
    return true;
}

uint32_t weft_grad_set_topologies(const weft_grad_set *set)
{
    return set ? set->topologies.len : 0;
}

weft_grad_batch *weft_grad_set_batch(uint32_t *members, weft_grad_set *set, uint32_t which,
                                     const weft_grad_batch_desc *desc)
{
    if (!set || !desc)
        return NULL;
    if (which >= set->topologies.len) {
        context_fail(set->ctx, WEFT_ERROR_NOT_FOUND, "there is no topology %u, only %u", which,
                     set->topologies.len);
        return NULL;
    }
    const Topology *t = &set->topologies.data[which];
    weft_grad_batch_desc d = *desc;
    d.graph = t->graph;
    d.count = t->members.len;
    d.index = t->index.data;
    d.data = t->data.data;
    for (uint32_t i = 0; members && i < t->members.len; i++)
        members[i] = t->members.data[i];
    return weft_grad_batch_create(set->ctx, &d);
}
