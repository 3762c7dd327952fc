// SPDX-License-Identifier: Apache-2.0
/*
 * graph.c - recording graphs: blocks, data, constants, outputs, names, custom operators.
 *
 * in     calls of weft/grad.h
 * out    nodes in the order of the calls, without any simplification
 * knows  graph_priv.h, context/
 * not    what operators mean, derivatives, kernels
 */
#include "grad/graph_priv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/writer.h"

#define NODE_LIMIT_DEFAULT 4000000u
#define BLOCK_LIMIT        65536u   /* members of one block, and blocks of one graph */
#define TAG_BITS           21       /* handles stay below 2^53                       */

/* Differs between graphs that are likely to be confused: those of one program. */
static uint32_t make_tag(const weft_grad_graph *graph)
{
    uint64_t address = (uint64_t)(uintptr_t)graph >> 4;
    uint32_t tag = (uint32_t)((address * 0x9e3779b97f4a7c15u) >> (64 - TAG_BITS));
    return tag == 0 ? 1 : tag;
}

weft_grad_graph *grad_new(weft_context *ctx, const char *label, uint32_t node_limit, bool rules)
{
    weft_grad_graph *graph = calloc(1, sizeof *graph);
    if (!graph) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a graph");
        return NULL;
    }
    graph->references = 1;
    graph->ctx = weft_context_retain(ctx);
    graph->tag = make_tag(graph);
    graph->node_limit = node_limit;
    arena_init(&graph->arena, 0);
    arena_init(&graph->text, 0);
    graph->label = arena_printf(&graph->arena, "%s", label);
    nodes_init(&graph->nodes, &graph->arena, rules);
    VEC_PUSH(&graph->arena, &graph->names, NULL);
    return graph;
}

weft_grad_graph *weft_grad_graph_create(weft_context *ctx, const weft_grad_graph_desc *desc)
{
    if (!ctx) {
        context_fail(ctx, WEFT_ERROR_INVALID, "the context is NULL");
        return NULL;
    }
    return grad_new(ctx, desc && desc->label ? desc->label : "graph",
                     desc && desc->node_limit ? desc->node_limit : NODE_LIMIT_DEFAULT, false);
}

weft_grad_graph *weft_grad_graph_retain(weft_grad_graph *graph)
{
    if (graph)
        graph->references++;
    return graph;
}

void weft_grad_graph_release(weft_grad_graph *graph)
{
    if (!graph || --graph->references > 0)
        return;
    arena_fini(&graph->arena);
    arena_fini(&graph->text);
    weft_context_release(graph->ctx);
    free(graph);
}

weft_grad_node grad_fail(weft_grad_graph *graph, weft_error_kind kind, const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (!graph)
        return 0;
    graph->failed = true;
    context_fail(graph->ctx, kind, "%s: %s", graph->label, message);
    return 0;
}

uint32_t grad_node(weft_grad_graph *graph, weft_grad_node handle)
{
    uint32_t id = (uint32_t)handle;
    if (handle == 0 || graph->failed) {
        graph->failed = true;
        context_fail(graph->ctx, WEFT_ERROR_INVALID,
                     "%s: a node is 0: an earlier call on this graph failed", graph->label);
        return NODE_NONE;
    }
    if (handle >> 32 != graph->tag || id == 0 || id > graph->nodes.nodes.len) {
        grad_fail(graph, WEFT_ERROR_INVALID, "node %llu is not a node of this graph",
                   (unsigned long long)handle);
        return NODE_NONE;
    }
    return id - 1;
}

weft_grad_node grad_handle(const weft_grad_graph *graph, uint32_t id)
{
    return (uint64_t)graph->tag << 32 | (id + 1);
}

static bool room(weft_grad_graph *graph, uint32_t more)
{
    if (!graph || graph->failed)
        return false;
    if (more <= graph->node_limit && graph->nodes.nodes.len <= graph->node_limit - more)
        return true;
    grad_fail(graph, WEFT_ERROR_MEMORY,
               "the graph has %u nodes, the most that node_limit allows; raise it, or make "
               "instances of a smaller graph", graph->nodes.nodes.len);
    return false;
}

weft_grad_node grad_make(weft_grad_graph *graph, Op op, const weft_grad_node *args,
                          uint32_t count, uint64_t slot)
{
    uint32_t ids[2 * SUM_TERMS + 1];
    if (!graph)
        return 0;
    if (count > COUNTOF(ids))
        return grad_fail(graph, WEFT_ERROR_INVALID, "%u arguments, at most %zu are possible",
                          count, COUNTOF(ids));
    for (uint32_t i = 0; i < count; i++)
        if ((ids[i] = grad_node(graph, args[i])) == NODE_NONE)
            return 0;
    if (!room(graph, 1))
        return 0;
    return grad_handle(graph, nodes_make(&graph->nodes, op, ids, count, slot));
}

weft_grad_node grad_tiny(weft_grad_graph *graph)
{
    if (!room(graph, 1))
        return 0;
    return grad_handle(graph, nodes_leaf(&graph->nodes, OP_TINY, 0));
}

weft_grad_node weft_grad_constant(weft_grad_graph *graph, double value)
{
    if (!isfinite(value))
        return grad_fail(graph, WEFT_ERROR_INVALID,
                          "a constant is %s; compute it, or pass it as data", isnan(value) ?
                          "NaN" : "infinite");
    if (!room(graph, 1))
        return 0;
    return grad_handle(graph, nodes_const(&graph->nodes, value));
}

/* ---- leaves ---- */

static uint32_t add_name(weft_grad_graph *graph, const char *name)
{
    VEC_PUSH(&graph->arena, &graph->names, writer_name(&graph->arena, name));
    return graph->names.len - 1;
}

static const char *member_name(weft_grad_graph *graph, const char *name, uint32_t size, uint32_t at)
{
    if (size == 1)
        return name;
    if (size <= 4)
        return arena_printf(&graph->arena, "%s_%c", name, "xyzw"[at]);
    return arena_printf(&graph->arena, "%s_%u", name, at);
}

static bool leaves(weft_grad_node *out, weft_grad_graph *graph, Op op, const char *name,
                   uint32_t first, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t id = nodes_leaf(&graph->nodes, op, first + i);
        graph->nodes.nodes.data[id].name = add_name(graph, member_name(graph, name, size, i));
        if (out)
            out[i] = grad_handle(graph, id);
    }
    return true;
}

static bool block_fault(weft_grad_graph *graph, uint32_t size, uint32_t have)
{
    if (size == 0 || size > BLOCK_LIMIT)
        grad_fail(graph, WEFT_ERROR_INVALID, "a block of %u numbers: 1 to %u are possible",
                   size, BLOCK_LIMIT);
    else if (have >= BLOCK_LIMIT)
        grad_fail(graph, WEFT_ERROR_INVALID, "more than %u blocks", BLOCK_LIMIT);
    else
        return !room(graph, size);
    return true;
}

static bool add_block(weft_grad_node *out, weft_grad_graph *graph, const char *name, uint32_t size,
                      bool fixed)
{
    if (out && size <= BLOCK_LIMIT)
        memset(out, 0, size * sizeof *out);
    if (!graph || block_fault(graph, size, graph->blocks.len))
        return false;
    name = name ? writer_name(&graph->arena, name)
                : arena_printf(&graph->arena, "p%u", graph->blocks.len);
    GradBlock block = {name, graph->inputs, size, fixed};
    VEC_PUSH(&graph->arena, &graph->blocks, block);
    graph->inputs += size;
    graph->active += fixed ? 0 : size;
    return leaves(out, graph, OP_INPUT, name, block.first, size);
}

bool weft_grad_input(weft_grad_node *out, weft_grad_graph *graph, const char *name, uint32_t size)
{
    return add_block(out, graph, name, size, false);
}

bool weft_grad_fixed(weft_grad_node *out, weft_grad_graph *graph, const char *name, uint32_t size)
{
    return add_block(out, graph, name, size, true);
}

bool weft_grad_data(weft_grad_node *out, weft_grad_graph *graph, const char *name, uint32_t size)
{
    if (out && size <= BLOCK_LIMIT)
        memset(out, 0, size * sizeof *out);
    if (!graph || block_fault(graph, size, graph->data_sets))
        return false;
    name = name ? writer_name(&graph->arena, name)
                : arena_printf(&graph->arena, "d%u", graph->data_sets);
    uint32_t first = graph->data.len;
    for (uint32_t i = 0; i < size; i++) {
        GradLeaf leaf = {name, graph->data_sets, i};
        VEC_PUSH(&graph->arena, &graph->data, leaf);
    }
    graph->data_sets++;
    return leaves(out, graph, OP_DATA, name, first, size);
}

/* A name for comments: on one line. */
static const char *plain_text(Arena *arena, const char *name)
{
    char *text = arena_printf(arena, "%s", name);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32)
            *c = ' ';
    return text;
}

bool weft_grad_output(weft_grad_graph *graph, weft_grad_node node, const char *name)
{
    if (!graph)
        return false;
    uint32_t id = grad_node(graph, node);
    if (id == NODE_NONE)
        return false;
    if (graph->outputs.len >= BLOCK_LIMIT)
        return grad_fail(graph, WEFT_ERROR_INVALID, "more than %u outputs", BLOCK_LIMIT), false;
    GradOutput output = {id, name ? plain_text(&graph->arena, name)
                                  : arena_printf(&graph->arena, "r%u", graph->outputs.len)};
    VEC_PUSH(&graph->arena, &graph->outputs, output);
    return true;
}

bool weft_grad_name(weft_grad_graph *graph, weft_grad_node node, const char *name)
{
    uint32_t id = graph ? grad_node(graph, node) : NODE_NONE;
    if (id == NODE_NONE || !name)
        return false;
    graph->nodes.nodes.data[id].name = add_name(graph, name);
    return true;
}

bool weft_grad_graph_get_info(weft_grad_graph_info *out, const weft_grad_graph *graph)
{
    *out = (weft_grad_graph_info){0};
    if (!graph)
        return false;
    *out = (weft_grad_graph_info){graph->nodes.nodes.len, graph->blocks.len, graph->active,
                                  graph->data.len, graph->outputs.len};
    return !graph->failed;
}

bool grad_complete(weft_grad_graph *graph)
{
    if (!graph)
        return false;
    if (graph->failed)
        return context_fail(graph->ctx, WEFT_ERROR_INVALID,
                            "%s: a node of the graph could not be made", graph->label);
    if (graph->outputs.len == 0)
        return context_fail(graph->ctx, WEFT_ERROR_INVALID,
                            "%s: the graph has no output; call weft_grad_output()", graph->label);
    return true;
}

void grad_columns(uint32_t *columns, const weft_grad_graph *graph)
{
    uint32_t next = 0;
    for (uint32_t b = 0; b < graph->blocks.len; b++) {
        const GradBlock *block = &graph->blocks.data[b];
        for (uint32_t i = 0; i < block->size; i++)
            columns[block->first + i] = block->fixed ? NODE_NONE : next++;
    }
}

/* ---- custom operators ---- */

static const char *custom_fault(const weft_grad_custom_desc *desc)
{
    if (!desc->name || !desc->name[0])
        return "a custom operator needs a name";
    if (desc->arity == 0 || desc->arity > CUSTOM_ARITY)
        return "a custom operator has 1 to 8 arguments";
    if (!desc->value != !desc->partials)
        return "a custom operator needs WGSL for value and partials, or for neither";
    if (!desc->evaluate != !desc->differentiate)
        return "a custom operator needs functions for value and partials, or neither";
    if (!desc->value && !desc->evaluate)
        return "a custom operator needs WGSL or functions";
    for (uint32_t i = 0; desc->partials && i < desc->arity; i++)
        if (!desc->partials[i])
            return "a partial derivative of a custom operator is missing";
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool custom_equal(const GradCustom *a, const GradCustom *b)
{
    bool equal = a->arity == b->arity && same_text(a->value, b->value) &&
                 a->evaluate == b->evaluate && a->differentiate == b->differentiate &&
                 a->user == b->user;
    for (uint32_t i = 0; equal && i < a->arity; i++)
        equal = same_text(a->partials[i], b->partials[i]);
    return equal;
}

GradCustom custom_copy(const GradCustom *from, Arena *arena)
{
    GradCustom custom = *from;
    custom.name = writer_name(arena, from->name);
    if (from->value)
        custom.value = arena_printf(arena, "%s", from->value);
    for (uint32_t i = 0; i < from->arity; i++)
        if (from->partials[i])
            custom.partials[i] = arena_printf(arena, "%s", from->partials[i]);
    return custom;
}

static GradCustom custom_of(weft_grad_graph *graph, const weft_grad_custom_desc *desc)
{
    GradCustom custom = {.name = desc->name, .arity = desc->arity, .value = desc->value,
                         .evaluate = desc->evaluate, .differentiate = desc->differentiate,
                         .user = desc->user};
    for (uint32_t i = 0; desc->partials && i < desc->arity; i++)
        custom.partials[i] = desc->partials[i];
    return custom_copy(&custom, &graph->arena);
}

weft_grad_node weft_grad_custom(weft_grad_graph *graph, const weft_grad_custom_desc *desc,
                                const weft_grad_node *args)
{
    if (!graph)
        return 0;
    const char *fault = desc ? custom_fault(desc) : "the descriptor is NULL";
    if (fault)
        return grad_fail(graph, WEFT_ERROR_INVALID, "%s", fault);
    GradCustom custom = custom_of(graph, desc);
    uint32_t at = 0;
    while (at < graph->customs.len && strcmp(graph->customs.data[at].name, custom.name) != 0)
        at++;
    if (at == graph->customs.len)
        VEC_PUSH(&graph->arena, &graph->customs, custom);
    else if (!custom_equal(&graph->customs.data[at], &custom))
        return grad_fail(graph, WEFT_ERROR_EXISTS,
                          "there is another custom operator called '%s'", custom.name);
    return grad_make(graph, OP_CUSTOM, args, desc->arity, at);
}

weft_grad_node weft_grad_with_gradient(weft_grad_graph *graph, weft_grad_node value,
                                       const weft_grad_node *args,
                                       const weft_grad_node *partials, uint32_t count)
{
    weft_grad_node all[2 * SUM_TERMS + 1] = {value};
    if (count > SUM_TERMS)
        return grad_fail(graph, WEFT_ERROR_INVALID,
                          "with_gradient takes at most %d arguments, not %u", SUM_TERMS, count);
    for (uint32_t i = 0; i < count; i++) {
        all[1 + 2 * i] = args[i];
        all[2 + 2 * i] = partials[i];
    }
    return grad_make(graph, OP_GIVEN, all, 1 + 2 * count, 0);
}
