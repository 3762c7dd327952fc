// SPDX-License-Identifier: Apache-2.0
/*
 * eval.c - runs plans: buffers for results, dispatches, giving memory back.
 *
 * in     roots that are pending
 * out    roots with storage; after a failure everything is as it was
 * knows  the context's buffers and dispatches
 * not    how kernels are made (plan.c)
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/plan_priv.h"

typedef struct Run {
    TensorState  *s;
    Graph        *g;
    Plan         *plan;
    Storage     **made;             /* by node: storage of results                          */
    weft_buffer **temps;
} Run;

/* ---- buffers ---- */

static bool outputs_allocate(Run *r, uint32_t step)
{
    for (uint32_t i = 0; i < r->plan->output_count; i++) {
        const PlanOutput *o = &r->plan->outputs[i];
        if (o->step != step)
            continue;
        Storage *st = storage_create(r->s, weft_tensor_bytes(r->g->nodes[o->node]));
        if (!st)
            return false;
        st->busy = true;
        r->made[o->node] = st;
        if (!storage_allocate(st, o->zeroed))
            return false;
    }
    return true;
}

static bool slot_bind(weft_binding *b, Run *r, Slot slot)
{
    uint64_t     start = 0, end;
    weft_tensor *t;
    *b = (weft_binding){.buffer = NULL};
    switch (slot.kind) {
    case SLOT_LEAF:
        t = r->g->leaves[slot.index];
        leaf_range(&start, &end, t);
        b->buffer = storage_device(tensor_root(t)->storage);
        b->offset = start;
        b->size = MAX_OF(end - start, t->dtype == WEFT_F64 ? 8u : 4u);
        break;
    case SLOT_NODE:
        b->buffer = r->made[slot.index]->buffer;
        b->size = storage_padded(r->made[slot.index]->bytes);
        break;
    case SLOT_TEMP:
        if (!r->temps[slot.index])
            r->temps[slot.index] = weft_buffer_create(r->s->ctx, &(weft_buffer_desc){
                .size = r->plan->temps[slot.index], .uninitialized = true, .label = "temporary" });
        b->buffer = r->temps[slot.index];
        b->size = r->plan->temps[slot.index];
        break;
    case SLOT_SCALARS:
        return true;
    }
    if (!b->buffer)
        return false;
    if (slot.size) {                /* a part, counted from where the whole would start */
        b->offset += slot.start;
        b->size = slot.size;
    }
    if (b->size > r->s->binding_limit)
        return context_fail(r->s->ctx, WEFT_ERROR_UNSUPPORTED, "a kernel would bind %llu bytes "
                            "at once, the device allows %llu", (unsigned long long)b->size,
                            (unsigned long long)r->s->binding_limit);
    return true;
}

/* ---- scalars ---- */

static void scalar_pack(uint32_t *word, const weft_tensor *t)
{
    double v = t->attr.f[0];
    float  f = (float)v;
    switch (dtype_compute((weft_dtype)t->dtype)) {
    case COMPUTE_I32:
        *word = (uint32_t)(int32_t)v;
        break;
    case COMPUTE_U32:
        *word = v > 0 ? (uint32_t)v : 0;
        break;
    default:
        memcpy(word, &f, sizeof f);
        break;
    }
}

/* ---- steps ---- */

static bool step_compile(Run *r, Step *step)
{
    if (!step->pipeline)
        step->pipeline = weft_pipeline_create(r->s->ctx, &(weft_pipeline_desc){
            .wgsl = step->text, .entry = "main", .label = step->label });
    return step->pipeline != NULL;
}

static bool step_run(Run *r, Step *step)
{
    weft_binding bindings[MAX_BINDS * 2];
    uint32_t     scalars[MAX_SCALARS + 3] = {0};
    for (uint32_t i = 0; i < step->slot_count; i++)
        if (!slot_bind(&bindings[i], r, step->slots[i]))
            return false;
    for (uint32_t i = 0; i < step->slot_count; i++) {
        if (step->slots[i].kind != SLOT_SCALARS)
            continue;
        for (uint32_t k = 0; k < step->scalar_count; k++)
            scalar_pack(&scalars[k], r->g->nodes[step->scalars[k]]);
        bindings[i].data = scalars;
        bindings[i].data_size = step->scalar_count * 4;
    }
    return step_compile(r, step) && weft_context_dispatch(r->s->ctx, &(weft_dispatch){
        .pipeline = step->pipeline, .bindings = bindings, .binding_count = step->slot_count,
        .groups = {step->groups[0], step->groups[1], step->groups[2]} });
}

/* A result that the user holds outside of scopes stays: it is already there. */
static bool is_wanted(const weft_tensor *t)
{
    return t->refs > 0 && !t->scope;
}

static void step_free(Run *r, const Step *step)
{
    for (uint32_t i = 0; i < step->free_count; i++) {
        uint32_t node = step->frees[i];
        if (is_wanted(r->g->nodes[node]))
            continue;
        storage_release(r->made[node]);
        r->made[node] = NULL;
    }
    for (uint32_t i = 0; i < step->slot_count; i++) {
        const Slot *slot = &step->slots[i];
        if (slot->kind != SLOT_TEMP || !slot->last)
            continue;
        weft_buffer_release(r->temps[slot->index]);
        r->temps[slot->index] = NULL;
    }
}

static bool steps_run(Run *r)
{
    Plan *plan = r->plan;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (!outputs_allocate(r, i) || !step_run(r, &plan->steps[i]))
            return false;
        step_free(r, &plan->steps[i]);
    }
    context_count(r->s->ctx, "tensor.kernels", "count", plan->step_count);
    return outputs_allocate(r, plan->step_count);   /* empty results have no step */
}

/* ---- before and after ---- */

static void leaves_busy(Run *r, bool busy)
{
    for (uint32_t i = 0; i < r->g->leaf_count; i++)
        tensor_root(r->g->leaves[i])->storage->busy = busy;
}

/* Nodes that were computed inside a kernel stay pending if the caller holds them. They are not
 * inlined twice, and no longer count as waiting. */
static void mark_seen(Run *r)
{
    for (uint32_t i = 0; i < r->g->node_count; i++) {
        weft_tensor *t = r->g->nodes[i];
        if (r->made[i] || t->op == &op_scalar || t->input_count == 0)
            continue;
        t->seen = true;
        if (t->counted)
            r->s->pending_bytes -= weft_tensor_bytes(t);
        t->counted = false;
    }
}

static void finish(Run *r)
{
    mark_seen(r);
    for (uint32_t i = 0; i < r->g->node_count; i++)     /* settling may free nodes */
        tensor_use(r->g->nodes[i]);
    for (uint32_t i = 0; i < r->g->node_count; i++) {
        weft_tensor *t = r->g->nodes[i];
        if (!r->made[i])
            continue;
        r->made[i]->busy = false;
        r->plan->refs++;
        plan_release(t->plan);
        t->plan = r->plan;
        tensor_settle(t, r->made[i]);
        r->made[i] = NULL;
    }
    for (uint32_t i = r->g->node_count; i-- > 0;)
        tensor_unuse(r->g->nodes[i]);
}

#define FEW 16                      /* nodes and temporaries that need no allocation        */

static bool run(Run *r)
{
    Storage     *few_made[FEW] = {NULL};
    weft_buffer *few_temps[FEW] = {NULL};
    bool few = r->g->node_count <= FEW && r->plan->temp_count <= FEW;
    r->made = few ? few_made : calloc(r->g->node_count + 1, sizeof *r->made);
    r->temps = few ? few_temps : calloc(r->plan->temp_count + 1, sizeof *r->temps);
    bool ok = r->made && r->temps;
    if (!ok)
        context_fail(r->s->ctx, WEFT_ERROR_MEMORY, "no memory to evaluate");
    leaves_busy(r, true);
    ok = ok && steps_run(r);
    leaves_busy(r, false);
    for (uint32_t i = 0; r->temps && i < r->plan->temp_count; i++)
        weft_buffer_release(r->temps[i]);
    if (ok)
        finish(r);
    for (uint32_t i = 0; r->made && i < r->g->node_count && !ok; i++)
        storage_release(r->made[i]);
    if (!few) {
        free(r->temps);
        free(r->made);
    }
    return ok;
}

bool tensor_evaluate(TensorState *s, weft_tensor *const *roots, uint32_t count)
{
    bool ok = false;
    if (!context_ok(s->ctx) || !context_need_device(s->ctx))
        return false;
    if (!s->graph && !(s->graph = calloc(1, sizeof *s->graph)))
        return context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory to evaluate");
    Graph *g = s->graph;
    BUG_IF(s->evaluating, "evaluation inside an evaluation");
    s->evaluating = true;
    if (graph_collect(g, s, roots, count)) {
        ok = g->node_count == 0;
        Plan *plan = ok ? NULL : plan_for(g);
        if (plan) {
            plan->refs++;
            ok = run(&(Run){.s = s, .g = g, .plan = plan});
            plan_release(plan);
        }
    }
    s->evaluating = false;
    return ok;
}

/* ---- writes ---- */

static bool reads(const weft_tensor *t, const weft_tensor *root, uint64_t mark)
{
    for (uint32_t i = 0; i < t->input_count; i++) {
        const weft_tensor *x = tensor_root(t->inputs[i]);
        if (x == root || (x->op && x->mark == mark))
            return true;
    }
    return false;
}

bool tensor_evaluate_readers(weft_tensor *root)
{
    TensorState *s = root->state;
    /* The list is in order of creation, so inputs are marked before what reads them. */
    for (;;) {
        uint64_t     mark = ++s->mark;
        weft_tensor *last = NULL;
        for (weft_tensor *t = s->pending.pending_next; t != &s->pending; t = t->pending_next)
            if (reads(t, root, mark)) {
                t->mark = mark;
                last = t;
            }
        if (!last)
            return true;
        if (!tensor_evaluate(s, &last, 1))
            return false;
    }
}
