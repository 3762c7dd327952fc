// SPDX-License-Identifier: Apache-2.0
/*
 * batch.c - making batches: checks, canonical order, parts on contexts.
 *
 * in     a graph and its instances
 * out    a batch that evaluate.c or fallback.c evaluates
 * knows  batch_priv.h
 * not    kernels, results
 */
#include "grad/batch_priv.h"

#include <stdlib.h>
#include <string.h>

#define JACOBIAN_LIMIT (1u << 26)   /* outputs times inputs of one graph                     */

/* ---- checks ---- */

static bool check_index(weft_context *ctx, const weft_grad_batch_desc *d)
{
    const weft_grad_graph *g = d->graph;
    for (uint32_t i = 0; d->index && i < d->count; i++)
        for (uint32_t b = 0; b < g->blocks.len; b++) {
            uint32_t at = d->index[(size_t)i * g->blocks.len + b], size = g->blocks.data[b].size;
            if (at > d->parameter_count || size > d->parameter_count - at)
                return context_fail(ctx, WEFT_ERROR_INVALID,
                                    "%s: block '%s' of instance %u is at %u to %u, there are %u "
                                    "parameters", g->label, g->blocks.data[b].name, i, at,
                                    at + size - 1, d->parameter_count);
        }
    if (!d->index && d->count > 0 && g->inputs > d->parameter_count)
        return context_fail(ctx, WEFT_ERROR_INVALID,
                            "%s: the blocks have %u numbers, there are %u parameters; without an "
                            "index the blocks follow each other from 0", g->label, g->inputs,
                            d->parameter_count);
    return true;
}

static bool check_desc(weft_context *ctx, const weft_grad_batch_desc *d)
{
    if (!d || !d->graph)
        return context_fail(ctx, WEFT_ERROR_INVALID, "a batch needs a graph");
    if (d->graph->ctx != ctx)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: the graph belongs to another context",
                            d->graph->label);
    if (!grad_complete(d->graph))
        return false;
    if ((uint32_t)d->precision > WEFT_GRAD_MIXED || (uint32_t)d->layout > WEFT_GRAD_AOS)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: unknown precision %d or layout %d",
                            d->graph->label, (int)d->precision, (int)d->layout);
    if ((uint64_t)d->graph->outputs.len * MAX_OF(d->graph->active, 1u) > JACOBIAN_LIMIT)
        return context_fail(ctx, WEFT_ERROR_MEMORY,
                            "%s: %u outputs by %u inputs are more than one instance may have; make "
                            "instances of a smaller graph", d->graph->label,
                            d->graph->outputs.len, d->graph->active);
    if (d->context_count >= WEFT_GRAD_DEVICES || (d->context_count && !d->contexts))
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: %u more contexts, at most %d are "
                            "possible", d->graph->label, d->context_count, WEFT_GRAD_DEVICES - 1);
    for (uint32_t i = 0; i < d->context_count; i++)
        if (!d->contexts[i])
            return context_fail(ctx, WEFT_ERROR_INVALID, "%s: context %u is NULL",
                                d->graph->label, i);
    return check_index(ctx, d);
}

/* ---- canonical order ---- */

static bool copy_index(weft_grad_batch *b, const weft_grad_batch_desc *d)
{
    const weft_grad_graph *g = d->graph;
    uint32_t blocks = g->blocks.len, canon = b->canon.graph->blocks.len;
    b->index = malloc(((size_t)d->count * blocks + 1) * sizeof *b->index);
    b->canon_index = malloc(((size_t)d->count * canon + 1) * sizeof *b->canon_index);
    if (!b->index || !b->canon_index)
        return false;
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < blocks; k++) {
            size_t at = (size_t)i * blocks + k;
            b->index[at] = d->index ? d->index[at] : g->blocks.data[k].first;
            if (b->canon.block[k] != NODE_NONE)
                b->canon_index[(size_t)i * canon + b->canon.block[k]] = b->index[at];
        }
    return true;
}

/* Columns of the canonical graph and the user's inputs. */
static void map_columns(weft_grad_batch *b, const weft_grad_graph *g)
{
    const weft_grad_graph *c = b->canon.graph;
    uint32_t input = 0;
    b->blocks = ARENA_ARRAY(&b->arena, GradBlock, g->blocks.len + 1);
    b->column = ARENA_ARRAY(&b->arena, uint32_t, c->active + 1);
    for (uint32_t k = 0; k < g->blocks.len; k++) {
        GradBlock block = g->blocks.data[k];
        uint32_t to = b->canon.block[k], column = 0;
        block.name = arena_printf(&b->arena, "%s", block.name);
        block.first = input;
        b->blocks[k] = block;
        if (block.fixed)
            continue;
        for (uint32_t i = 0; to != NODE_NONE && i < to; i++)
            column += c->blocks.data[i].fixed ? 0 : c->blocks.data[i].size;
        for (uint32_t i = 0; to != NODE_NONE && i < block.size; i++)
            b->column[column + i] = input + i;
        input += block.size;
    }
    b->data_from = ARENA_ARRAY(&b->arena, uint32_t, c->data.len + 1);
    for (uint32_t d = 0; d < g->data.len; d++)
        if (b->canon.data[d] != NODE_NONE)
            b->data_from[b->canon.data[d]] = d;
}

uint32_t batch_parameter(const weft_grad_batch *b, uint32_t instance, uint32_t column)
{
    const weft_grad_graph *c = b->canon.graph;
    uint32_t block = 0;
    for (;; block++) {
        uint32_t size = c->blocks.data[block].fixed ? 0 : c->blocks.data[block].size;
        if (column < size)
            break;
        column -= size;
    }
    return b->canon_index[(size_t)instance * c->blocks.len + block] + column;
}

/* ---- data ---- */

static void copy_data(weft_grad_batch *b, const double *data)
{
    uint32_t width = b->canon.graph->data.len;
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t d = 0; d < width; d++)
            b->data[(size_t)i * width + d] =
                data ? data[(size_t)i * b->data_count + b->data_from[d]] : 0;
}

bool weft_grad_batch_set_data(weft_grad_batch *b, const double *data)
{
    if (!b)
        return false;
    if (b->busy)
        return context_fail(b->ctx, WEFT_ERROR_INVALID,
                            "%s: an asynchronous evaluation is under way", b->label);
    if (!data && b->data_count > 0 && b->count > 0)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: data is NULL", b->label);
    copy_data(b, data);
    for (uint32_t i = 0; i < b->part_count; i++)
        b->parts[i].data_current = false;
    return true;
}

/* ---- parts ---- */

/* Numbers that an instance stores at most, the normal matrix left aside. */
static uint64_t widest(const weft_grad_graph *c)
{
    uint64_t results = (uint64_t)c->outputs.len * (2 + c->active) + c->active + 1;
    return MAX_OF(results, (uint64_t)c->inputs + c->data.len);
}

/* Instances of one part, so that no buffer exceeds what the device binds. */
static uint32_t part_limit(const weft_grad_batch *b, const weft_context *ctx)
{
    const weft_device_info *device = weft_context_device(ctx);
    uint64_t most = device->limits.maxStorageBufferBindingSize;
    if (device->limits.maxBufferSize < most)
        most = device->limits.maxBufferSize;
    uint64_t count = most / 8 / widest(b->canon.graph) / 2;
    count = MIN_OF(count, (uint64_t)1 << 29);
    return (uint32_t)MAX_OF(count, (uint64_t)EMIT_GROUP);
}

static bool add_part(weft_grad_batch *b, weft_context *ctx, uint32_t begin, uint32_t count)
{
    Part *more = realloc(b->parts, (b->part_count + 1u) * sizeof *more);
    if (!more)
        return context_fail(b->ctx, WEFT_ERROR_MEMORY, "%s: no memory", b->label);
    b->parts = more;
    Part *part = &b->parts[b->part_count++];
    bool f64 = weft_context_device(ctx)->f64;
    *part = (Part){.ctx = ctx, .begin = begin, .count = count,
                   .f64 = b->precision == WEFT_GRAD_F64,
                   .sums_f64 = b->precision == WEFT_GRAD_F64 ||
                               (b->precision == WEFT_GRAD_MIXED && f64)};
    const weft_grad_graph *c = b->canon.graph;
    if (!grad_layout_make(&part->layout, &(LayoutInput){
            c, b->canon_index + (size_t)begin * c->blocks.len, count,
            b->layout != WEFT_GRAD_AUTO}))
        return context_fail(b->ctx, WEFT_ERROR_MEMORY,
                            "%s: no memory to arrange %u instances", b->label, count);
    return true;
}

/* Contexts get equal shares; a share is cut where buffers would become too large. */
bool batch_make_parts(weft_grad_batch *b)
{
    uint32_t begin = 0;
    if (b->part_count > 0)
        return true;
    for (uint32_t i = 0; i < b->context_count; i++) {
        uint32_t end = (uint32_t)((uint64_t)b->count * (i + 1) / b->context_count);
        uint32_t limit = part_limit(b, b->contexts[i]);
        while (begin < end) {
            uint32_t count = MIN_OF(end - begin, limit);
            if (!add_part(b, b->contexts[i], begin, count))
                return false;
            begin += count;
        }
    }
    return true;
}

static void part_fini(Part *p)
{
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        PartKernel *k = &p->kernels[i];
        weft_buffer_release(k->results);
        weft_buffer_release(k->sums);
        sums_fini(&k->gradient);
        sums_fini(&k->normal);
        sums_fini(&k->cost);
        grad_kernel_release(k->kernel);
    }
    weft_buffer *buffers[] = {p->parameters, p->index, p->shared, p->lengths, p->data,
                              p->weights, p->tangent};
    for (size_t i = 0; i < COUNTOF(buffers); i++)
        weft_buffer_release(buffers[i]);
    grad_layout_fini(&p->layout);
    free(p->placed);
    free(p->staging);
}

/* ---- life ---- */

static void fill(weft_grad_batch *b, const weft_grad_batch_desc *d)
{
    b->label = arena_printf(&b->arena, "%s", d->label ? d->label : d->graph->label);
    b->block_count = d->graph->blocks.len;
    b->input_count = d->graph->active;
    b->data_count = d->graph->data.len;
    b->outputs = d->graph->outputs.len;
    b->count = d->count;
    b->parameter_count = d->parameter_count;
    b->precision = d->precision;
    b->layout = d->layout;
    b->threshold = d->fallback_threshold;
    b->reason = "not evaluated yet";
    b->context_count = d->context_count + 1;
    b->contexts = ARENA_ARRAY(&b->arena, weft_context *, b->context_count);
    b->contexts[0] = b->ctx;
    for (uint32_t i = 0; i < d->context_count; i++)
        b->contexts[i + 1] = weft_context_retain(d->contexts[i]);
    map_columns(b, d->graph);
}

weft_grad_batch *weft_grad_batch_create(weft_context *ctx, const weft_grad_batch_desc *desc)
{
    if (!ctx || !check_desc(ctx, desc))
        return NULL;
    weft_grad_batch *b = calloc(1, sizeof *b);
    if (!b || !canon_make(&b->canon, desc->graph)) {
        free(b);
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a batch");
        return NULL;
    }
    b->references = 1;
    b->ctx = weft_context_retain(ctx);
    arena_init(&b->arena, 0);
    fill(b, desc);
    b->data = malloc(((size_t)b->count * b->canon.graph->data.len + 1) * sizeof *b->data);
    b->scratch = calloc(b->canon.graph->inputs + 1u, sizeof *b->scratch);
    if (!b->data || !b->scratch || !copy_index(b, desc)) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "%s: no memory for %u instances", b->label, b->count);
        weft_grad_batch_release(b);
        return NULL;
    }
    copy_data(b, desc->data);
    return b;
}

weft_grad_batch *weft_grad_batch_retain(weft_grad_batch *b)
{
    if (b)
        b->references++;
    return b;
}

void weft_grad_batch_release(weft_grad_batch *b)
{
    if (!b || --b->references > 0)
        return;
    for (uint32_t i = 0; i < b->part_count; i++)
        part_fini(&b->parts[i]);
    free(b->parts);
    immediate_fini(&b->immediate);
    free(b->scratch);
    free(b->index);
    free(b->canon_index);
    free(b->data);
    free(b->pattern);
    /* row_start and columns are allocated as writable arrays by structure.c */
    union { const void *fixed; void *own; } rows = {b->normal.row_start},
                                            columns = {b->normal.columns};
    free(rows.own);
    free(columns.own);
    weft_grad_graph_release(b->canon.graph);
    for (uint32_t i = 0; i < b->context_count; i++)
        weft_context_release(b->contexts[i]);
    arena_fini(&b->arena);
    free(b);
}
