// SPDX-License-Identifier: Apache-2.0
/*
 * ops_experts.c - the kernels of mixtures of experts: what is bound, how many workgroups.
 *
 * in     a batch, the router's scores, matrices of experts
 * out    recorded dispatches
 * knows  the bindings and parameters of the .wgsl files
 * not    the order of operations (forward.c)
 *
 * A choice is one expert of one token: choice c is of token c / experts_used. Choices are
 * grouped by expert into items of at most a tile, so that an item reads the weights once.
 */
#include "model/runtime/runtime_priv.h"

static uint32_t choices_of(const Batch *b)
{
    return b->rows * b->s->model->params.experts_used;
}

/* The same for all matrices of a layer, as their items are. */
static uint32_t tile_of(const Batch *b)
{
    return ops_tile(b->rows, true);
}

/* Runs of tokens that share an expert: at most this many, whatever is chosen. */
static uint32_t most_items(const Batch *b)
{
    const Params *p = &b->s->model->params;
    uint32_t tile = tile_of(b), choices = choices_of(b);
    uint32_t most = p->experts + choices / tile;
    return choices < most ? choices : most;
}

static void choose(Batch *b, const Layer *layer)
{
    const Params *m = &b->s->model->params;
    struct { uint32_t stride, experts; float scale; uint32_t pad; } p = {
        layer->router.stride, m->experts, m->expert_scale, 0};
    Call c = {.b = b};
    call_bind(&c, b->t->router);
    call_bind_maybe(&c, layer->router_bias);
    call_bind(&c, b->t->chosen);
    call_bind(&c, b->t->shares);
    KernelKey key = {.kind = KERNEL_ROUTE,
                     .flags = (layer->router_bias ? 1u : 0) | m->experts_used << 1};
    call_run(&c, &key, &p, sizeof p, b->rows, 1);
}

static void group(Batch *b)
{
    const Params *m = &b->s->model->params;
    struct { uint32_t choices, experts, items, pad; } p = {
        choices_of(b), m->experts, most_items(b), 0};
    Call c = {.b = b};
    call_bind(&c, b->t->chosen);
    call_bind(&c, b->t->order);
    call_bind(&c, b->t->items);
    KernelKey key = {.kind = KERNEL_GROUP, .tile = tile_of(b)};
    call_run(&c, &key, &p, sizeof p, 1, 1);
}

void ops_route(Batch *b, const Layer *layer)
{
    choose(b, layer);
    group(b);
}

void ops_prepare_choices(Batch *b, const Matrix *m, weft_buffer *x, uint32_t stride)
{
    Batch each = *b;
    each.rows = choices_of(b);
    ops_prepare(&each, m, x, stride, 0);
    b->failed = each.failed;
}

static void multiply_part(Batch *b, weft_buffer *y, const Matrix *m, const MatrixPart *part,
                          bool each_choice)
{
    const Params *params = &b->s->model->params;
    uint32_t groups = part->expert_rows / 16;
    struct {
        uint32_t stride, first;
        float    unit;
        uint32_t expert_groups, first_group, groups, pad[2];
    } p = {m->stride, part->first, part->unit, groups, (uint32_t)(part->begin / 16),
           part->rows / 16, {0}};
    bool i8 = ops_is_i8(b, m);
    Call c = {.b = b};
    call_bind(&c, part->weights);
    if (part->scales)
        call_bind(&c, part->scales);
    if (part->least)
        call_bind(&c, part->least);
    call_bind(&c, b->t->prepared);
    if (i8)
        call_bind(&c, b->t->scales);
    call_bind(&c, y);
    call_bind(&c, b->t->order);
    call_bind(&c, b->t->items);
    KernelKey key = {
        .kind = KERNEL_MUL, .format = part->format, .tile = tile_of(b), .i8 = i8,
        .k = repack_pad(part->format, m->k), .groups = 1,
        .flags = MUL_ROUTED | (each_choice ? MUL_EACH_CHOICE : 0) | params->experts_used << 2};
    call_run(&c, &key, &p, sizeof p, most_items(b), groups);
}

void ops_multiply_experts(Batch *b, weft_buffer *y, const Matrix *m, bool each_choice)
{
    for (uint32_t i = 0; i < m->nparts; i++)
        multiply_part(b, y, m, &m->parts[i], each_choice);
}

void ops_combine(Batch *b, weft_buffer *y, const Layer *layer)
{
    const Params *m = &b->s->model->params;
    struct { uint32_t n, stride, pad[2]; } p = {m->embedding, layer->down.stride, {0}};
    Call c = {.b = b};
    call_bind(&c, b->t->down);
    call_bind(&c, b->t->chosen);
    call_bind(&c, b->t->shares);
    call_bind_maybe(&c, layer->down_bias);
    call_bind(&c, y);
    KernelKey key = {.kind = KERNEL_COMBINE,
                     .flags = (layer->down_bias ? 1u : 0) | m->experts_used << 1};
    call_run(&c, &key, &p, sizeof p, RUNS_OF_64(p.n), b->rows);
}
