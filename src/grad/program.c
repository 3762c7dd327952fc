// SPDX-License-Identifier: Apache-2.0
/*
 * program.c - from a canonical graph to the nodes of one kernel.
 *
 * in     a graph, the products that are wanted
 * out    the graph with its derivatives, in the mode (forward, reverse, mixed) that costs
 *        least; the entries that each instance stores, structural zeros and constants left out
 * knows  eliminate.c, nodes.h
 * not    WGSL, layouts, devices
 */
#include "grad/program_priv.h"

#include <string.h>

/* Above this many nodes only one mode is tried. */
#define MODES_UP_TO 6000u

uint32_t grad_program_value(const Nodes *n, uint32_t id)
{
    while (nodes_get(n, id)->op == OP_GIVEN)
        id = nodes_args(n, id)[0];
    return id;
}

/* ---- the graph ---- */

static void set_input_flags(Program *p)
{
    const weft_grad_graph *g = p->graph;
    p->input_flags = ARENA_ARRAY(&p->arena, uint8_t, g->inputs + 1);
    p->column_slot = ARENA_ARRAY(&p->arena, uint32_t, g->active + 1);
    for (uint32_t b = 0; b < g->blocks.len; b++) {
        const GradBlock *block = &g->blocks.data[b];
        bool uniform = p->spec.uniform == UNIFORM_ALL || p->spec.uniform == b;
        for (uint32_t i = 0; i < block->size; i++) {
            p->input_flags[block->first + i] = (uint8_t)((block->fixed ? 0 : NODE_ACTIVE) |
                                                         (uniform ? NODE_UNIFORM : 0));
            if (!block->fixed)
                p->column_slot[p->columns++] = block->first + i;
        }
    }
}

static void import(Program *p)
{
    const Nodes *from = &p->graph->nodes;
    nodes_init(&p->nodes, &p->arena, true);
    p->nodes.input_flags = p->input_flags;
    for (uint32_t id = 0; id < from->nodes.len; id++) {
        const Node *node = nodes_get(from, id);
        uint32_t to = node->count == 0
                          ? nodes_leaf(&p->nodes, (Op)node->op, node->slot)
                          : nodes_make(&p->nodes, (Op)node->op, nodes_args(from, id),
                                       node->count, node->slot);
        BUG_IF(to != id, "node %u of a canonical graph became %u", id, to);
        p->nodes.nodes.data[to].name = node->name;
    }
}

/* ---- derivatives ---- */

static Seed *output_seeds(Program *p, const uint32_t *weights)
{
    Seed *seeds = ARENA_ARRAY(&p->arena, Seed, p->graph->outputs.len);
    for (uint32_t o = 0; o < p->graph->outputs.len; o++)
        seeds[o] = (Seed){p->graph->outputs.data[o].node,
                          weights ? weights[o] : nodes_const(&p->nodes, 1)};
    return seeds;
}

static Seed *input_seeds(Program *p, bool tangent)
{
    Seed *seeds = ARENA_ARRAY(&p->arena, Seed, p->columns + 1);
    for (uint32_t c = 0; c < p->columns; c++)
        seeds[c] = (Seed){nodes_leaf(&p->nodes, OP_INPUT, p->column_slot[c]),
                          tangent ? nodes_leaf(&p->nodes, OP_TANGENT, c)
                                  : nodes_const(&p->nodes, 1)};
    return seeds;
}

/* 0, 1, 2, ..., count: each seed is a sink or source of its own. */
static uint32_t *each(Program *p, uint32_t count)
{
    uint32_t *first = ARENA_ARRAY(&p->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i <= count; i++)
        first[i] = i;
    return first;
}

static uint32_t *together(Program *p, uint32_t count)
{
    uint32_t *first = ARENA_ARRAY(&p->arena, uint32_t, 2);
    first[1] = count;
    return first;
}

/* [outputs][columns], NODE_NONE for structural zeros. */
static uint32_t *jacobian(Program *p)
{
    uint32_t outputs = p->graph->outputs.len;
    uint32_t *j = ARENA_ARRAY(&p->arena, uint32_t, (size_t)outputs * p->columns + 1);
    Elimination what = {output_seeds(p, NULL), each(p, outputs), outputs,
                        input_seeds(p, false), each(p, p->columns), p->columns};
    grad_eliminate(j, &p->nodes, &what, p->order);
    return j;
}

/* The weights of the outputs in the gradient. */
static uint32_t *output_weights(Program *p)
{
    uint32_t *w = ARENA_ARRAY(&p->arena, uint32_t, p->graph->outputs.len);
    for (uint32_t o = 0; o < p->graph->outputs.len; o++)
        w[o] = p->spec.weights == WEFT_GRAD_ONES    ? nodes_const(&p->nodes, 1)
             : p->spec.weights == WEFT_GRAD_GIVEN   ? nodes_leaf(&p->nodes, OP_WEIGHT, o)
                                                    : p->graph->outputs.data[o].node;
    return w;
}

static void add_entry(Program *p, uint32_t node, const char *comment)
{
    VEC_PUSH(&p->arena, &p->entries, node);
    VEC_PUSH(&p->arena, &p->comments, comment);
}

static const char *input_name(Program *p, uint32_t column)
{
    const weft_grad_graph *g = p->graph;
    uint32_t b = 0, slot = p->column_slot[column];
    while (slot >= g->blocks.data[b].first + g->blocks.data[b].size)
        b++;
    const GradBlock *block = &g->blocks.data[b];
    Arena *arena = &p->arena;
    return block->size == 1 ? block->name
         : block->size <= 4 ? arena_printf(arena, "%s_%c", block->name, "xyzw"[slot - block->first])
                            : arena_printf(arena, "%s_%u", block->name, slot - block->first);
}

static void store_jacobian(Program *p, const uint32_t *j)
{
    uint32_t outputs = p->graph->outputs.len, stored = 0;
    p->pattern = ARENA_ARRAY(&p->arena, weft_grad_entry, (size_t)outputs * p->columns + 1);
    for (uint32_t i = 0; i < outputs * p->columns; i++) {
        const Node *node = j[i] == NODE_NONE ? NULL : nodes_get(&p->nodes, j[i]);
        p->pattern[i] = (weft_grad_entry){-1, node && node->op == OP_CONST ? node->value : 0};
        if (!node || node->op == OP_CONST)
            continue;
        p->pattern[i].stored = (int32_t)stored++;
        add_entry(p, j[i], arena_printf(&p->arena, "d %s / d %s",
                                        p->graph->outputs.data[i / p->columns].name,
                                        input_name(p, i % p->columns)));
    }
}

/* transpose(J) w from the Jacobian, where it is there anyway. */
static uint32_t gradient_from(Program *p, const uint32_t *j, const uint32_t *w, uint32_t column)
{
    VEC(uint32_t) terms = {0};
    for (uint32_t o = 0; o < p->graph->outputs.len; o++) {
        uint32_t d = j[(size_t)o * p->columns + column];
        if (d != NODE_NONE)
            VEC_PUSH(&p->arena, &terms, nodes_2(&p->nodes, OP_MUL, d, w[o]));
    }
    return terms.len == 0 ? NODE_NONE : nodes_sum(&p->nodes, terms.data, terms.len);
}

static void store_gradient(Program *p, const uint32_t *j)
{
    uint32_t *w = output_weights(p), outputs = p->graph->outputs.len;
    uint32_t *g = ARENA_ARRAY(&p->arena, uint32_t, p->columns + 1);
    p->gradient = ARENA_ARRAY(&p->arena, int32_t, p->columns + 1);
    if (j)
        for (uint32_t c = 0; c < p->columns; c++)
            g[c] = gradient_from(p, j, w, c);
    else {
        Elimination what = {output_seeds(p, w), together(p, outputs), 1, input_seeds(p, false),
                            each(p, p->columns), p->columns};
        grad_eliminate(g, &p->nodes, &what, p->order);
    }
    int32_t stored = 0;
    for (uint32_t c = 0; c < p->columns; c++) {
        p->gradient[c] = g[c] == NODE_NONE ? -1 : stored++;
        if (g[c] != NODE_NONE)
            add_entry(p, g[c], arena_printf(&p->arena, "gradient of %s", input_name(p, c)));
    }
}

static void store_normal(Program *p, const uint32_t *j)
{
    for (uint32_t r = 0; r < p->columns; r++)
        for (uint32_t c = r; c < p->columns; c++) {
            VEC(uint32_t) terms = {0};
            for (uint32_t o = 0; o < p->graph->outputs.len; o++) {
                uint32_t a = j[(size_t)o * p->columns + r], b = j[(size_t)o * p->columns + c];
                if (a != NODE_NONE && b != NODE_NONE)
                    VEC_PUSH(&p->arena, &terms, nodes_2(&p->nodes, OP_MUL, a, b));
            }
            if (terms.len == 0)
                continue;
            NormalPair pair = {r, c};
            VEC_PUSH(&p->arena, &p->normal, pair);
            add_entry(p, nodes_sum(&p->nodes, terms.data, terms.len),
                      arena_printf(&p->arena, "normal matrix %s, %s", input_name(p, r),
                                   input_name(p, c)));
        }
}

static void store_tangent(Program *p)
{
    uint32_t outputs = p->graph->outputs.len;
    uint32_t *t = ARENA_ARRAY(&p->arena, uint32_t, outputs);
    Elimination what = {output_seeds(p, NULL), each(p, outputs), outputs, input_seeds(p, true),
                        together(p, p->columns), 1};
    grad_eliminate(t, &p->nodes, &what, ELIMINATE_FORWARD);
    for (uint32_t o = 0; o < outputs; o++)
        add_entry(p, t[o] == NODE_NONE ? nodes_const(&p->nodes, 0) : t[o],
                  arena_printf(&p->arena, "directional derivative of %s",
                               p->graph->outputs.data[o].name));
}

static void store_cost(Program *p)
{
    uint32_t *w = output_weights(p), outputs = p->graph->outputs.len;
    uint32_t *terms = ARENA_ARRAY(&p->arena, uint32_t, outputs);
    for (uint32_t o = 0; o < outputs; o++)
        terms[o] = nodes_2(&p->nodes, OP_MUL, p->graph->outputs.data[o].node, w[o]);
    uint32_t total = nodes_sum(&p->nodes, terms, outputs);
    if (p->spec.weights == WEFT_GRAD_RESIDUALS)
        total = nodes_2(&p->nodes, OP_MUL, nodes_const(&p->nodes, 0.5), total);
    add_entry(p, total, "cost");
}

static void build(Program *p)
{
    uint32_t products = p->spec.products;
    const uint32_t *j = products & (WEFT_GRAD_JACOBIAN | WEFT_GRAD_NORMAL) ? jacobian(p) : NULL;
    for (uint32_t o = 0; (products & WEFT_GRAD_VALUES) && o < p->graph->outputs.len; o++)
        add_entry(p, p->graph->outputs.data[o].node, p->graph->outputs.data[o].name);
    p->first[PART_JACOBIAN] = p->entries.len;
    if (products & WEFT_GRAD_JACOBIAN)
        store_jacobian(p, j);
    p->first[PART_TANGENT] = p->entries.len;
    if (products & WEFT_GRAD_TANGENT)
        store_tangent(p);
    p->first[PART_GRADIENT] = p->entries.len;
    if (products & WEFT_GRAD_GRADIENT)
        store_gradient(p, j);
    p->first[PART_NORMAL] = p->entries.len;
    if (products & WEFT_GRAD_NORMAL)
        store_normal(p, j);
    p->first[PART_COST] = p->entries.len;
    if (products & PRODUCT_COST)
        store_cost(p);
    p->first[PART_END] = p->entries.len;
}

/* ---- costs ---- */

void grad_program_mark(Program *p)
{
    const Nodes *n = &p->nodes;
    p->live = ARENA_ARRAY(&p->arena, bool, n->nodes.len + 1);
    p->statements = 0;
    p->cost = 0;
    for (uint32_t e = 0; e < p->entries.len; e++)
        p->live[p->entries.data[e]] = true;
    for (uint32_t id = n->nodes.len; id-- > 0;) {
        const Node *node = nodes_get(n, id);
        if (!p->live[id])
            continue;
        for (uint32_t i = 0; i < (node->op == OP_GIVEN ? 1u : node->count); i++)
            p->live[nodes_args(n, id)[i]] = true;
        p->statements += node->count > 0;
        bool uniform = (node->flags & NODE_UNIFORM) && p->spec.uniform != NODE_NONE;
        p->cost += (uniform ? 1u : 16u) * grad_op_info[node->op].cost;
    }
}

static void start(Program *p, const weft_grad_graph *graph, const ProgramSpec *spec)
{
    *p = (Program){.graph = graph, .spec = *spec};
    arena_init(&p->arena, 0);
    set_input_flags(p);
    import(p);
}

static void attempt(Program *p, const weft_grad_graph *graph, const ProgramSpec *spec,
                    EliminationOrder order)
{
    start(p, graph, spec);
    p->order = order;
    build(p);
    grad_program_mark(p);
}

void grad_program_make(Program *p, const weft_grad_graph *graph, const ProgramSpec *spec)
{
    uint32_t full = WEFT_GRAD_JACOBIAN | WEFT_GRAD_NORMAL;
    bool derives = (spec->products & (full | WEFT_GRAD_GRADIENT)) != 0;
    EliminationOrder first = (spec->products & full) && graph->outputs.len > graph->active
                                 ? ELIMINATE_FORWARD : ELIMINATE_REVERSE;
    attempt(p, graph, spec, first);
    for (uint32_t o = 0; derives && graph->nodes.nodes.len <= MODES_UP_TO &&
                         o < ELIMINATE_ORDER_COUNT; o++) {
        Program other;
        if (o == first || (o == ELIMINATE_FORWARD && !(spec->products & full)))
            continue;
        attempt(&other, graph, spec, (EliminationOrder)o);
        if (other.cost < p->cost) {
            grad_program_fini(p);
            *p = other;
            p->nodes.arena = &p->arena;
        } else
            grad_program_fini(&other);
    }
    if (spec->fuse)
        grad_program_fuse(p);
}

void grad_program_fini(Program *p)
{
    arena_fini(&p->arena);
}
