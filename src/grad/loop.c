// SPDX-License-Identifier: Apache-2.0
/*
 * loop.c - the normal equations of a graph as statements inside the caller's kernel.
 *
 * in     a graph
 * out    statements, expressions of what an instance adds to cost, gradient and normal matrix
 * knows  program.c, emit_text.c
 * not    buffers, iterations
 */
#include "grad/loop.h"

#include <string.h>

#include "grad/emit_text_priv.h"

struct GradLoopState {
    Canon      canon;
    Program    program;
    KernelSpec spec;
    Kernel     kernel;
    Emit       emit;
};

/* Where the canonical graph's blocks and data come from. */
static void map_leaves(GradLoop *l, Arena *arena, const weft_grad_graph *graph)
{
    const Canon *canon = &l->state->canon;
    const weft_grad_graph *c = canon->graph;
    l->slots = c->inputs;
    l->slot_input = ARENA_ARRAY(arena, uint32_t, c->inputs + 1);
    l->data = c->data.len;
    l->data_from = ARENA_ARRAY(arena, uint32_t, c->data.len + 1);
    for (uint32_t b = 0; b < graph->blocks.len; b++) {
        const GradBlock *block = &graph->blocks.data[b];
        for (uint32_t i = 0; canon->block[b] != NODE_NONE && i < block->size; i++)
            l->slot_input[c->blocks.data[canon->block[b]].first + i] = block->first + i;
    }
    for (uint32_t d = 0; d < graph->data.len; d++)
        if (canon->data[d] != NODE_NONE)
            l->data_from[canon->data[d]] = d;
}

static void start_emit(GradLoop *l, Arena *arena, bool f64, const char *prefix)
{
    struct GradLoopState *s = l->state;
    s->spec = (KernelSpec){.dialect = f64 ? WEFT_GRAD_WGSL_F64 : WEFT_GRAD_WGSL_F32,
                           .mode = KERNEL_RUNS};
    s->emit = (Emit){.arena = arena, .p = &s->program, .spec = &s->spec, .out = &s->kernel,
                     .real = f64 ? "f64" : "f32", .type = f64 ? WRITER_F64 : WRITER_F32,
                     .prefix = prefix};
    emit_init_names(&s->emit);
    emit_find_uses(&s->emit);
}

GradLoop *grad_loop_make(Arena *arena, weft_grad_graph *graph, bool f64, const char *prefix)
{
    const char *custom;
    if (!grad_complete(graph))
        return NULL;
    if (!grad_kernels_possible(graph, &custom)) {
        grad_fail(graph, WEFT_ERROR_UNSUPPORTED, "the operator %s has no WGSL", custom);
        return NULL;
    }
    GradLoop *l = ARENA_NEW(arena, GradLoop);
    l->state = ARENA_NEW(arena, struct GradLoopState);
    if (!canon_make(&l->state->canon, graph)) {
        grad_fail(graph, WEFT_ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    map_leaves(l, arena, graph);
    Program *p = &l->state->program;
    grad_program_make(p, l->state->canon.graph, &(ProgramSpec){
        .products = WEFT_GRAD_GRADIENT | WEFT_GRAD_NORMAL | PRODUCT_COST,
        .weights = WEFT_GRAD_RESIDUALS, .uniform = UNIFORM_ALL, .fuse = f64});
    l->columns = p->columns;
    l->column_slot = p->column_slot;
    l->gradient = ARENA_ARRAY(arena, GradTerm, p->columns + 1);
    l->normal = ARENA_ARRAY(arena, GradTerm, (size_t)p->columns * p->columns + 1);
    start_emit(l, arena, f64, prefix);
    return l;
}

void grad_loop_release(GradLoop *l)
{
    if (!l)
        return;
    grad_program_fini(&l->state->program);
    weft_grad_graph_release(l->state->canon.graph);
}

/* The statements of emit_text.c go to the caller's writer. */
static void borrow_writer(GradLoop *l, Writer *w, bool back)
{
    if (back)
        *w = l->state->emit.w;
    else
        l->state->emit.w = *w;
}

void grad_loop_declare(GradLoop *l, Writer *w)
{
    borrow_writer(l, w, false);
    if (emit_uses_specials(&l->state->emit))
        writer_specials(&l->state->emit.w);
    emit_customs(&l->state->emit);
    borrow_writer(l, w, true);
}

/* Leaves that are used become values under their own names. */
static void name_leaves(GradLoop *l, Op op, const char *const *names)
{
    Emit *e = &l->state->emit;
    const Nodes *n = &e->p->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (!e->p->live[id] || node->op != op)
            continue;
        if (!e->names[id])
            e->names[id] = emit_unique(e, op == OP_INPUT ? "parameter" : "number");
        writer_line(&e->w, "let %s = %s;", e->names[id], names[node->slot]);
    }
}

void grad_loop_outside(GradLoop *l, Writer *w, const char *const *names)
{
    borrow_writer(l, w, false);
    name_leaves(l, OP_INPUT, names);
    emit_statements(&l->state->emit, true);
    borrow_writer(l, w, true);
}

static GradTerm term_of(Emit *e, uint32_t id)
{
    const Nodes *n = &e->p->nodes;
    GradTerm term = {.value = emit_operand(e, id)};
    for (uint32_t i = 0; i < 2 && nodes_get(n, id)->op == OP_MUL; i++)
        term.factors[i] = emit_operand(e, nodes_args(n, id)[i]);
    return term;
}

void grad_loop_inside(GradLoop *l, Writer *w, const char *const *numbers)
{
    Emit *e = &l->state->emit;
    const Program *p = &l->state->program;
    borrow_writer(l, w, false);
    name_leaves(l, OP_DATA, numbers);
    emit_statements(e, false);
    for (uint32_t c = 0; c < p->columns; c++)
        if (p->gradient[c] >= 0)
            l->gradient[c] = term_of(e, p->entries.data[p->first[PART_GRADIENT] +
                                                        (uint32_t)p->gradient[c]]);
    for (uint32_t i = 0; i < p->normal.len; i++)
        l->normal[(size_t)p->normal.data[i].row * p->columns + p->normal.data[i].column] =
            term_of(e, p->entries.data[p->first[PART_NORMAL] + i]);
    l->cost = term_of(e, p->entries.data[p->first[PART_COST]]);
    borrow_writer(l, w, true);
}

const char *grad_loop_literal(GradLoop *l, double value)
{
    return emit_literal(&l->state->emit, value);
}

uint32_t grad_loop_inputs(const weft_grad_graph *graph)
{
    return graph->inputs;
}
