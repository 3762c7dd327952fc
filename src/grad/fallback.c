// SPDX-License-Identifier: Apache-2.0
/*
 * fallback.c - batches on the calling thread, and the choice between that and dispatches.
 *
 * in     an evaluation
 * out    its results by immediate evaluation of each instance; a decision with its reason
 * knows  immediate.c, worth.c, batch_priv.h
 * not    what kernels look like
 */
#include "grad/batch_priv.h"

#include <string.h>

#include "base/clock.h"
#include "grad/worth_priv.h"

/* Total time of immediate evaluation below which a dispatch cannot win, and above which it
 * always does: a dispatch with its read takes 3 to 20 microseconds. Between the two both are
 * measured. */
#define ALWAYS_IMMEDIATE_NS 4000u
#define ALWAYS_DISPATCH_NS  3000000u
#define SAMPLE              16u     /* instances that are timed                              */

static bool ready(weft_grad_batch *b)
{
    const char *custom;
    if (b->immediate.graph)
        return true;
    if (!immediate_possible(b->canon.graph, &custom))
        return context_fail(b->ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s: custom operator '%s' has no functions for immediate evaluation, "
                            "and no device can evaluate it", b->label, custom);
    if (!immediate_init(&b->immediate, b->canon.graph))
        return context_fail(b->ctx, WEFT_ERROR_MEMORY, "%s: no memory for immediate evaluation",
                            b->label);
    return true;
}

/* ---- one instance ---- */

typedef struct One {
    double *values;                 /* [outputs]                                            */
    double *jacobian;               /* [outputs][columns of the canonical graph]            */
} One;

static void load_inputs(weft_grad_batch *b, uint32_t i, const double *x)
{
    const weft_grad_graph *c = b->canon.graph;
    for (uint32_t k = 0; k < c->blocks.len; k++)
        memcpy(b->scratch + c->blocks.data[k].first,
               x + b->canon_index[(size_t)i * c->blocks.len + k],
               c->blocks.data[k].size * sizeof *x);
}

static double weight_of(const weft_grad_batch *b, const weft_grad_evaluation *e, uint32_t i,
                        uint32_t o, double value)
{
    return e->weighting == WEFT_GRAD_ONES  ? 1
         : e->weighting == WEFT_GRAD_GIVEN ? e->weights[(size_t)i * b->outputs + o]
                                           : value;
}

static void add_normal(weft_grad_batch *b, double *normal, uint32_t i, const double *row)
{
    uint32_t columns = b->canon.graph->active;
    for (uint32_t r = 0; r < columns; r++)
        for (uint32_t c = r; row[r] != 0 && c < columns; c++) {
            uint32_t p = batch_parameter(b, i, r), q = batch_parameter(b, i, c);
            double product = row[r] * row[c];
            normal[batch_normal_entry(b, MIN_OF(p, q), MAX_OF(p, q))] +=
                p == q && r != c ? 2 * product : product;
        }
}

static void add_row(weft_grad_batch *b, const weft_grad_evaluation *e, uint32_t i, uint32_t o,
                    const double *row, double weight)
{
    uint32_t columns = b->canon.graph->active;
    size_t at = (size_t)i * b->outputs + o;
    double along = 0;
    for (uint32_t c = 0; c < columns; c++) {
        if (e->jacobian)
            e->jacobian[at * b->input_count + b->column[c]] = row[c];
        if (e->gradient && row[c] != 0)
            e->gradient[batch_parameter(b, i, c)] += row[c] * weight;
        if (e->directional && row[c] != 0)
            along += row[c] * e->tangent[batch_parameter(b, i, c)];
    }
    if (e->directional)
        e->directional[at] = along;
    if (e->normal)
        add_normal(b, e->normal, i, row);
}

static void evaluate_one(weft_grad_batch *b, const weft_grad_evaluation *e, uint32_t i, One *one)
{
    const weft_grad_graph *c = b->canon.graph;
    bool rows = e->jacobian || e->gradient || e->normal || e->directional;
    load_inputs(b, i, e->x);
    immediate_forward(&b->immediate, one->values, b->scratch, b->data + (size_t)i * c->data.len);
    for (uint32_t o = 0; o < b->outputs; o++) {
        double value = one->values[o], weight = weight_of(b, e, i, o, value);
        if (e->values)
            e->values[(size_t)i * b->outputs + o] = value;
        if (e->cost)
            *e->cost += (e->weighting == WEFT_GRAD_RESIDUALS ? 0.5 : 1) * weight * value;
        if (!rows)
            continue;
        memset(one->jacobian, 0, c->active * sizeof *one->jacobian);
        immediate_reverse(&b->immediate, one->jacobian, o, 1);
        add_row(b, e, i, o, one->jacobian, weight);
    }
}

static bool evaluate_range(weft_grad_batch *b, const weft_grad_evaluation *e, uint32_t end)
{
    Arena arena;
    arena_init(&arena, 0);
    One one = {ARENA_ARRAY(&arena, double, b->outputs + 1),
               ARENA_ARRAY(&arena, double, b->canon.graph->active + 1)};
    for (uint32_t i = 0; i < end; i++)
        evaluate_one(b, e, i, &one);
    arena_fini(&arena);
    return true;
}

bool batch_immediate(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    if (!ready(b))
        return false;
    if (e->jacobian)
        memset(e->jacobian, 0,
               (size_t)b->count * b->outputs * b->input_count * sizeof *e->jacobian);
    context_count(b->ctx, "grad.immediate", "count", 1);
    context_count(b->ctx, "grad.instances", "count", b->count);
    for (uint32_t i = 0; i < b->part_count; i++)
        b->parts[i].last = NULL;
    return evaluate_range(b, e, b->count);
}

/* ---- the choice ---- */

/* Why no device can evaluate the batch, or NULL. */
static const char *obstacle(weft_grad_batch *b)
{
    const char *custom;
    for (uint32_t i = 0; i < b->context_count; i++) {
        const weft_device_info *device = weft_context_device(b->contexts[i]);
        if (!device)
            return "the context has no device";
        if (b->precision == WEFT_GRAD_F64 && !device->f64)
            return arena_printf(&b->arena, "the device '%s' has no f64", device->name);
    }
    if (!grad_kernels_possible(b->canon.graph, &custom))
        return arena_printf(&b->arena, "custom operator '%s' has no WGSL", custom);
    return NULL;
}

static bool choose(weft_grad_batch *b, BatchPath path, const char *reason)
{
    b->path = path;
    b->reason = reason;
    return true;
}

static bool has_derivatives(uint32_t products)
{
    return products & ~(WEFT_GRAD_VALUES | PRODUCT_COST);
}

/* The time of immediate evaluation of the whole batch, from a few instances. */
static uint64_t immediate_ns(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    uint32_t sample = MIN_OF(b->count, SAMPLE);
    bool reverse = has_derivatives(batch_products(e));
    double *row = ARENA_ARRAY(&b->arena, double, b->canon.graph->active + 1);
    double *values = ARENA_ARRAY(&b->arena, double, b->outputs + 1);
    uint64_t start = clock_ns();
    for (uint32_t i = 0; i < sample; i++) {
        load_inputs(b, i, e->x);
        immediate_forward(&b->immediate, values, b->scratch,
                          b->data + (size_t)i * b->canon.graph->data.len);
        for (uint32_t o = 0; reverse && o < b->outputs; o++)
            immediate_reverse(&b->immediate, row, o, 1);
    }
    return (clock_ns() - start) * b->count / sample;
}

/* The time of a dispatch with its reads, the best of some after the first. */
static bool dispatch_ns(weft_grad_batch *b, const weft_grad_evaluation *e, uint64_t *out)
{
    *out = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t start = clock_ns();
        if (!batch_dispatch(b, e))
            return false;
        uint64_t time = clock_ns() - start;
        *out = i > 0 && time < *out ? time : *out;
    }
    return true;
}

static bool measure(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    const char *custom;
    uint64_t fast;
    if (!immediate_possible(b->canon.graph, &custom))
        return choose(b, BATCH_DISPATCH, "custom operators have WGSL alone");
    if (grad_evaluate_ns(b->canon.graph, b->count, has_derivatives(batch_products(e))) >
        ALWAYS_DISPATCH_NS)
        return choose(b, BATCH_DISPATCH, "enough instances for a dispatch");
    if (!ready(b) || !dispatch_ns(b, e, &fast))
        return false;
    return fast < immediate_ns(b, e)
               ? choose(b, BATCH_DISPATCH, "measured: a dispatch is faster")
               : choose(b, BATCH_IMMEDIATE, "measured: immediate evaluation is faster");
}

/* The rest of the choice after a kernel failed: immediate evaluation, if that is possible and
 * the kernel itself is the reason. False with the error of the context. */
static bool fall_back(weft_grad_batch *b, weft_context *ctx)
{
    const weft_error *error = weft_context_error(ctx);
    const char *custom;
    if ((error->kind != WEFT_ERROR_COMPILE && error->kind != WEFT_ERROR_UNSUPPORTED) ||
        !immediate_possible(b->canon.graph, &custom))
        return false;
    choose(b, BATCH_IMMEDIATE, arena_printf(&b->arena, "%s", error->message));
    context_count(b->ctx, "grad.fallbacks", "count", 1);
    context_log(b->ctx, WEFT_LOG_COMPILE, "%s is evaluated immediately: %s", b->label, b->reason);
    weft_context_error_clear(ctx);
    return true;
}

/* Compiles for all parts at a time, then waits. */
static bool compile(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    uint32_t products = batch_products(e);
    for (uint32_t i = 0; i < b->part_count; i++)
        if (!part_kernel(b, &b->parts[i], products, e->weighting))
            return fall_back(b, b->parts[i].ctx);
    for (uint32_t i = 0; i < b->part_count; i++) {
        Part *part = &b->parts[i];
        const PartKernel *k = part_kernel(b, part, products, e->weighting);
        if (!grad_kernel_wait(part->ctx, k->kernel))
            return fall_back(b, part->ctx);
    }
    return true;
}

/* Whether some context would have to compile a kernel first that is not worth it. */
static bool too_dear(weft_grad_batch *b, uint32_t products, weft_grad_weights weights)
{
    if (grad_kernel_worth(b->canon.graph, b->count, has_derivatives(products),
                          b->precision == WEFT_GRAD_F64))
        return false;
    for (uint32_t i = 0; i < b->part_count; i++)
        if (!part_kernel_known(b, &b->parts[i], products, weights))
            return true;
    return false;
}

bool batch_settle(weft_grad_batch *b, uint32_t products, weft_grad_weights weights)
{
    const char *custom;
    if (b->path != BATCH_UNDECIDED)
        return true;
    const char *why_not = obstacle(b);
    if (why_not) {
        context_count(b->ctx, "grad.fallbacks", "count", 1);
        return choose(b, BATCH_IMMEDIATE, why_not);
    }
    if (b->threshold != WEFT_OFF && b->threshold > b->count)
        return choose(b, BATCH_IMMEDIATE, "fewer instances than fallback_threshold");
    if (!batch_make_parts(b))
        return false;
    if (b->threshold != 0 || !immediate_possible(b->canon.graph, &custom))
        return true;
    if (grad_evaluate_ns(b->canon.graph, b->count, has_derivatives(products)) <
        ALWAYS_IMMEDIATE_NS)
        return choose(b, BATCH_IMMEDIATE, "too few instances for a dispatch");
    if (too_dear(b, products, weights))
        return choose(b, BATCH_IMMEDIATE, arena_printf(&b->arena,
            "a kernel of %u nodes takes longer to compile than it saves for %u %s",
            b->canon.graph->nodes.nodes.len, b->count, b->count == 1 ? "instance" : "instances"));
    return true;
}

bool batch_decide(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    if (b->path == BATCH_IMMEDIATE || b->count == 0)
        return true;
    if (b->path == BATCH_DISPATCH)
        return compile(b, e);
    if (!batch_settle(b, batch_products(e), e->weighting))
        return false;
    if (b->path == BATCH_IMMEDIATE)
        return true;
    if (!compile(b, e))
        return false;
    if (b->path == BATCH_IMMEDIATE)
        return true;
    if (b->threshold != 0)
        return choose(b, BATCH_DISPATCH, "at least fallback_threshold instances");
    return measure(b, e);
}
