// SPDX-License-Identifier: Apache-2.0
/*
 * signature.c - the canonical form of a graph, its signature, and the fusion of graphs.
 *
 * in     a graph as recorded
 * out    the same graph simplified, without dead code and common subexpressions, its nodes in
 *        the order of a depth-first visit from the outputs and its leaves numbered by first
 *        visit; a hash of that
 * knows  graph_priv.h
 * not    derivatives, kernels
 */
#include "grad/graph_priv.h"

#include <string.h>

/* ---- copying nodes between graphs ---- */

typedef struct Copy {
    const weft_grad_graph *from;
    weft_grad_graph *to;
    uint32_t *map;                  /* [nodes of from] NODE_NONE: not yet copied            */
    uint32_t *block, *data, *custom;/* numbers in `to`, NODE_NONE: not yet used             */
    uint32_t *block_of;             /* [inputs] block of an INPUT slot                      */
} Copy;

static uint32_t *filled(Arena *arena, uint32_t count)
{
    uint32_t *a = ARENA_ARRAY(arena, uint32_t, count + 1);
    memset(a, 0xff, (count + 1u) * sizeof *a);
    return a;
}

static void copy_init(Copy *c, weft_grad_graph *to, const weft_grad_graph *from, Arena *arena)
{
    *c = (Copy){.from = from, .to = to, .map = filled(arena, from->nodes.nodes.len),
                .block = filled(arena, from->blocks.len), .data = filled(arena, from->data.len),
                .custom = filled(arena, from->customs.len),
                .block_of = filled(arena, from->inputs)};
    for (uint32_t b = 0; b < from->blocks.len; b++)
        for (uint32_t i = 0; i < from->blocks.data[b].size; i++)
            c->block_of[from->blocks.data[b].first + i] = b;
}

static uint32_t copy_block(Copy *c, uint32_t block)
{
    if (c->block[block] == NODE_NONE) {
        GradBlock b = c->from->blocks.data[block];
        b.name = arena_printf(&c->to->arena, "%s", b.name);
        b.first = c->to->inputs;
        c->block[block] = c->to->blocks.len;
        VEC_PUSH(&c->to->arena, &c->to->blocks, b);
        c->to->inputs += b.size;
        c->to->active += b.fixed ? 0 : b.size;
    }
    return c->block[block];
}

static uint32_t copy_data(Copy *c, uint64_t slot)
{
    if (c->data[slot] == NODE_NONE) {
        c->data[slot] = c->to->data.len;
        GradLeaf leaf = c->from->data.data[slot];
        leaf.name = arena_printf(&c->to->arena, "%s", leaf.name);
        VEC_PUSH(&c->to->arena, &c->to->data, leaf);
    }
    return c->data[slot];
}

static uint32_t copy_custom(Copy *c, uint64_t slot)
{
    if (c->custom[slot] == NODE_NONE) {
        c->custom[slot] = c->to->customs.len;
        GradCustom custom = custom_copy(&c->from->customs.data[slot], &c->to->arena);
        VEC_PUSH(&c->to->arena, &c->to->customs, custom);
    }
    return c->custom[slot];
}

static uint64_t copy_slot(Copy *c, const Node *node)
{
    if (node->op == OP_INPUT) {
        uint32_t b = c->block_of[node->slot], to = copy_block(c, b);
        return c->to->blocks.data[to].first + (node->slot - c->from->blocks.data[b].first);
    }
    return node->op == OP_DATA   ? copy_data(c, node->slot)
         : node->op == OP_CUSTOM ? copy_custom(c, node->slot)
                                 : node->slot;
}

static uint32_t copy_node(Copy *c, uint32_t id)
{
    const Node *node = nodes_get(&c->from->nodes, id);
    const uint32_t *from = nodes_args(&c->from->nodes, id);
    uint32_t args[2 * SUM_TERMS + 1];
    for (uint32_t i = 0; i < node->count; i++)
        args[i] = c->map[from[i]];
    uint64_t slot = copy_slot(c, node);
    uint32_t to = node->count == 0 ? nodes_leaf(&c->to->nodes, (Op)node->op, slot)
                                   : nodes_make(&c->to->nodes, (Op)node->op, args, node->count,
                                                slot);
    Node *copy = &c->to->nodes.nodes.data[to];
    if (copy->name == 0 && node->name != 0) {
        copy->name = c->to->names.len;
        const char *name = arena_printf(&c->to->arena, "%s", c->from->names.data[node->name]);
        VEC_PUSH(&c->to->arena, &c->to->names, name);
    }
    return to;
}

/* Copies what `root` depends on, arguments first, with a stack of its own. */
static uint32_t copy_tree(Copy *c, uint32_t root, Arena *arena)
{
    VEC(uint32_t) stack = {0};
    VEC_PUSH(arena, &stack, root);
    while (stack.len > 0) {
        uint32_t id = stack.data[stack.len - 1];
        const Node *node = nodes_get(&c->from->nodes, id);
        const uint32_t *args = nodes_args(&c->from->nodes, id);
        uint32_t before = stack.len;
        for (uint32_t i = node->count; c->map[id] == NODE_NONE && i-- > 0;)
            if (c->map[args[i]] == NODE_NONE)
                VEC_PUSH(arena, &stack, args[i]);
        if (stack.len > before)
            continue;
        if (c->map[id] == NODE_NONE)
            c->map[id] = copy_node(c, id);
        stack.len--;
    }
    return c->map[root];
}

/* ---- the hash ---- */

static void absorb(uint64_t h[4], uint64_t v)
{
    static const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u,
                                    0x94d049bb133111ebu, 0xd6e8feb86659fd93u};
    for (int i = 0; i < 4; i++) {
        h[i] = (h[i] ^ (v + h[(i + 1) & 3])) * odd[i];
        h[i] ^= h[i] >> 31;
    }
}

static void absorb_text(uint64_t h[4], const char *text)
{
    for (; text && *text; text++)
        absorb(h, (unsigned char)*text);
    absorb(h, 256);
}

static void hash_graph(uint8_t out[32], const weft_grad_graph *g)
{
    uint64_t h[4] = {1, 2, 3, 4};
    const Nodes *n = &g->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        absorb(h, (uint64_t)node->op << 32 | node->count);
        absorb(h, node->slot);
        for (uint32_t i = 0; i < node->count; i++)
            absorb(h, nodes_args(n, id)[i]);
    }
    for (uint32_t b = 0; b < g->blocks.len; b++)
        absorb(h, (uint64_t)g->blocks.data[b].size << 1 | g->blocks.data[b].fixed);
    absorb(h, g->data.len);
    for (uint32_t o = 0; o < g->outputs.len; o++)
        absorb(h, g->outputs.data[o].node);
    for (uint32_t c = 0; c < g->customs.len; c++) {
        absorb_text(h, g->customs.data[c].name);
        absorb_text(h, g->customs.data[c].value);
        for (uint32_t i = 0; i < g->customs.data[c].arity; i++)
            absorb_text(h, g->customs.data[c].partials[i]);
    }
    for (int i = 0; i < 8; i++)
        absorb(h, 0);
    memcpy(out, h, 32);
}

static void add_outputs(Copy *c, Arena *arena)
{
    for (uint32_t o = 0; o < c->from->outputs.len; o++) {
        GradOutput output = {copy_tree(c, c->from->outputs.data[o].node, arena),
                             arena_printf(&c->to->arena, "%s", c->from->outputs.data[o].name)};
        VEC_PUSH(&c->to->arena, &c->to->outputs, output);
    }
}

bool canon_make(Canon *canon, const weft_grad_graph *graph)
{
    Copy c;
    canon->graph = grad_new(graph->ctx, graph->label, graph->node_limit, true);
    if (!canon->graph)
        return false;
    Arena *arena = &canon->graph->arena;
    copy_init(&c, canon->graph, graph, arena);
    add_outputs(&c, arena);
    canon->block = c.block;
    canon->data = c.data;
    hash_graph(canon->hash, canon->graph);
    /* Kernels that a context keeps have such graphs: they must not keep the context. */
    weft_context_release(canon->graph->ctx);
    canon->graph->ctx = NULL;
    return true;
}

bool canon_equal(const weft_grad_graph *a, const weft_grad_graph *b)
{
    if (a->nodes.nodes.len != b->nodes.nodes.len || a->blocks.len != b->blocks.len ||
        a->data.len != b->data.len || a->outputs.len != b->outputs.len ||
        a->customs.len != b->customs.len)
        return false;
    for (uint32_t id = 0; id < a->nodes.nodes.len; id++) {
        const Node *x = nodes_get(&a->nodes, id), *y = nodes_get(&b->nodes, id);
        if (x->op != y->op || x->count != y->count || x->slot != y->slot ||
            (x->count && memcmp(nodes_args(&a->nodes, id), nodes_args(&b->nodes, id),
                                x->count * sizeof(uint32_t)) != 0))
            return false;
    }
    for (uint32_t i = 0; i < a->blocks.len; i++)
        if (a->blocks.data[i].size != b->blocks.data[i].size ||
            a->blocks.data[i].fixed != b->blocks.data[i].fixed)
            return false;
    for (uint32_t i = 0; i < a->outputs.len; i++)
        if (a->outputs.data[i].node != b->outputs.data[i].node)
            return false;
    for (uint32_t i = 0; i < a->customs.len; i++)
        if (strcmp(a->customs.data[i].name, b->customs.data[i].name) != 0 ||
            !custom_equal(&a->customs.data[i], &b->customs.data[i]))
            return false;
    return true;
}

bool weft_grad_graph_signature(uint8_t out[32], uint32_t *order, weft_grad_graph *graph)
{
    Canon canon;
    memset(out, 0, 32);
    if (!grad_complete(graph) || !canon_make(&canon, graph))
        return false;
    memcpy(out, canon.hash, 32);
    for (uint32_t b = 0; order && b < graph->blocks.len; b++)
        order[b] = canon.block[b];
    weft_grad_graph_release(canon.graph);
    return true;
}

/* ---- fusion ---- */

/* Blocks and data of one name and size are the same in all graphs. */
static void match_leaves(Copy *c)
{
    const weft_grad_graph *from = c->from, *to = c->to;
    for (uint32_t b = 0; b < from->blocks.len; b++)
        for (uint32_t i = 0; i < to->blocks.len; i++)
            if (strcmp(to->blocks.data[i].name, from->blocks.data[b].name) == 0 &&
                to->blocks.data[i].size == from->blocks.data[b].size &&
                to->blocks.data[i].fixed == from->blocks.data[b].fixed)
                c->block[b] = i;
    for (uint32_t d = 0; d < from->data.len; d++)
        for (uint32_t i = 0; i < to->data.len; i++)
            if (strcmp(to->data.data[i].name, from->data.data[d].name) == 0 &&
                to->data.data[i].member == from->data.data[d].member)
                c->data[d] = i;
    for (uint32_t k = 0; k < from->customs.len; k++)
        for (uint32_t i = 0; i < to->customs.len; i++)
            if (strcmp(to->customs.data[i].name, from->customs.data[k].name) == 0)
                c->custom[k] = i;
}

static bool fuse_one(weft_grad_graph *to, const weft_grad_graph *from, uint32_t which)
{
    Copy c;
    copy_init(&c, to, from, &to->arena);
    match_leaves(&c);
    for (uint32_t k = 0; k < from->customs.len; k++)
        if (c.custom[k] != NODE_NONE &&
            !custom_equal(&to->customs.data[c.custom[k]], &from->customs.data[k]))
            return grad_fail(to, WEFT_ERROR_EXISTS,
                              "graph %u has another custom operator called '%s'", which,
                              from->customs.data[k].name) != 0;
    /* Blocks and data keep their order of declaration, used or not. */
    for (uint32_t b = 0; b < from->blocks.len; b++)
        copy_block(&c, b);
    for (uint32_t d = 0; d < from->data.len; d++)
        copy_data(&c, d);
    add_outputs(&c, &to->arena);
    return true;
}

weft_grad_graph *weft_grad_graph_fuse(weft_context *ctx, weft_grad_graph *const *graphs,
                                      uint32_t count)
{
    weft_grad_graph *to = ctx && count > 0 && graphs ? grad_new(ctx, "fused", UINT32_MAX, true)
                                                     : NULL;
    if (!to) {
        context_fail(ctx, WEFT_ERROR_INVALID, "no graphs to fuse");
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!grad_complete(graphs[i]) || !fuse_one(to, graphs[i], i)) {
            context_fail(ctx, WEFT_ERROR_INVALID, "graph %u of those to fuse is not complete", i);
            weft_grad_graph_release(to);
            return NULL;
        }
    return to;
}
