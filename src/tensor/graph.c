// SPDX-License-Identifier: Apache-2.0
/*
 * graph.c - the pending part of a graph in order, and the key that identifies it.
 *
 * in     roots
 * out    nodes (inputs first), leaves, and words that are equal for two graphs exactly if the
 *        same kernels compute both
 * not    what becomes one kernel (plan.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/plan_priv.h"

#define LITERAL_LIMIT 64.0          /* larger scalars are read from a uniform, as f32 ...   */
#define EXACT_LIMIT   16777216.0    /* ... unless integers would lose digits there          */

bool scalar_is_literal(const weft_tensor *t)
{
    double v = t->attr.f[0];
    if (t->dtype == WEFT_F64 || !isfinite(v))
        return true;
    if (fabs(v) >= EXACT_LIMIT)
        return true;
    return fabs(v) <= LITERAL_LIMIT && 2 * v == floor(2 * v);
}

void leaf_range(uint64_t *start, uint64_t *end, const weft_tensor *t)
{
    const TensorState *s = t->state;
    uint64_t unit = weft_dtype_bytes((weft_dtype)t->dtype, 1);
    int64_t  low = t->offset, high = t->offset;
    uint64_t all = tensor_root(t)->storage ? tensor_root(t)->storage->bytes : 0;
    if (!unit || t->count == 0) {   /* blocks: always whole */
        *start = 0;
        *end = (all + 3) & ~UINT64_C(3);
        return;
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t reach = ((int64_t)t->shape[i] - 1) * t->strides[i];
        if (reach > 0)
            high += reach;
        else
            low += reach;
    }
    uint64_t align = MAX_OF(s->offset_align, 8u);
    *start = (uint64_t)low * unit / align * align;
    *end = ((uint64_t)(high + 1) * unit + 3) & ~UINT64_C(3);
}

static bool grow(void **data, uint32_t *cap, size_t item, uint32_t need)
{
    if (need <= *cap)
        return true;
    uint32_t more = MAX_OF(need, *cap ? *cap * 2 : 64);
    void    *moved = realloc(*data, more * item);
    if (!moved)
        return false;
    *data = moved;
    *cap = more;
    return true;
}

static void key_add(Graph *g, uint64_t word)
{
    g->key[g->key_len++] = word;
    g->hash = (g->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    g->hash ^= g->hash >> 29;
}

static uint64_t pack_kind(const weft_tensor *t, uint64_t tag)
{
    return tag | (uint64_t)t->dtype << 8 | (uint64_t)t->arg_dtype << 16 | (uint64_t)t->rank << 24
           | (uint64_t)t->weak << 32 | (uint64_t)t->seen << 33 | (uint64_t)t->input_count << 40;
}

/* How input x reads its root. */
static void key_geometry(Graph *g, const weft_tensor *x, int64_t offset)
{
    for (uint32_t i = 0; i < x->rank; i++) {
        key_add(g, x->shape[i]);
        key_add(g, (uint64_t)x->strides[i]);
    }
    key_add(g, (uint64_t)offset);
}

static bool add_leaf(Graph *g, weft_tensor *x)
{
    uint64_t start, end, unit = weft_dtype_bytes((weft_dtype)x->dtype, 1);
    if (x->mark == g->s->mark)
        return true;
    if (!grow((void **)&g->leaves, &g->leaf_cap, sizeof *g->leaves, g->leaf_count + 1)
        || !grow((void **)&g->key, &g->key_cap, sizeof *g->key, g->key_len + 2 * MAX_RANK + 8))
        return false;
    x->mark = g->s->mark;
    x->mark_index = g->leaf_count;
    g->leaves[g->leaf_count++] = x;
    leaf_range(&start, &end, x);
    key_add(g, pack_kind(x, 1));
    key_geometry(g, x, x->offset - (int64_t)(unit ? start / unit : 0));
    return true;
}

static bool visit(Graph *g, weft_tensor *t);

static bool visit_input(Graph *g, weft_tensor *x)
{
    weft_tensor *root = tensor_root(x);
    return tensor_is_pending(x) ? visit(g, root) : add_leaf(g, x);
}

static bool key_room(Graph *g, const weft_tensor *t)
{
    uint32_t words = 64 + t->input_count * (2 * MAX_RANK + 8) + t->extra_size / 8;
    return grow((void **)&g->key, &g->key_cap, sizeof *g->key, g->key_len + 2 * words);
}

static void key_node(Graph *g, const weft_tensor *t)
{
    key_add(g, pack_kind(t, 2));
    key_add(g, (uint64_t)(uintptr_t)t->op);
    for (uint32_t i = 0; i < t->rank; i++)
        key_add(g, t->shape[i]);
    if (t->op == &op_scalar && !scalar_is_literal(t))
        return;
    const uint64_t *words = (const uint64_t *)(const void *)&t->attr;
    for (size_t i = 0; i < sizeof t->attr / 8; i++)
        key_add(g, words[i]);
    for (uint32_t at = 0; at < t->extra_size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)t->extra + at, MIN_OF(8u, t->extra_size - at));
        key_add(g, word);
    }
}

static bool visit(Graph *g, weft_tensor *t)
{
    if (t->mark == g->s->mark)
        return true;
    t->mark = g->s->mark;           /* no cycles: inputs are older than what reads them */
    if (!key_room(g, t))
        return false;
    for (uint32_t i = 0; i < t->input_count; i++)
        if (!visit_input(g, t->inputs[i]))
            return false;
    if (!key_room(g, t)
        || !grow((void **)&g->nodes, &g->node_cap, sizeof *g->nodes, g->node_count + 1))
        return false;
    t->mark_index = g->node_count;
    g->nodes[g->node_count++] = t;
    key_node(g, t);
    for (uint32_t i = 0; i < t->input_count; i++) {
        const weft_tensor *x = t->inputs[i];
        bool pending = tensor_is_pending(x);
        key_add(g, pack_kind(x, pending ? 3 : 4));
        key_add(g, (pending ? tensor_root(x) : x)->mark_index);
        if (pending && x->base)
            key_geometry(g, x, x->offset);
    }
    return true;
}

bool graph_collect(Graph *g, TensorState *s, weft_tensor *const *roots, uint32_t count)
{
    g->s = s;
    g->roots = roots;
    g->root_count = count;
    g->node_count = g->leaf_count = g->key_len = 0;
    g->hash = s->no_fusion;
    s->mark++;
    for (uint32_t i = 0; i < count; i++)
        if (tensor_is_pending(roots[i]) && !visit(g, tensor_root(roots[i])))
            return context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory to plan an evaluation");
    if (!grow((void **)&g->key, &g->key_cap, sizeof *g->key, g->key_len + count + 4))
        return context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory to plan an evaluation");
    key_add(g, s->no_fusion);
    for (uint32_t i = 0; i < count; i++)
        if (tensor_is_pending(roots[i]))
            key_add(g, tensor_root(roots[i])->mark_index);
    return true;
}

void graph_fini(Graph *g)
{
    free(g->nodes);
    free(g->leaves);
    free(g->key);
}

void graph_free(Graph *g)
{
    if (g)
        graph_fini(g);
    free(g);
}
